//! What the modules that reach outside have: the names that rules use, and all exceptions.

use super::Outside;
use tpv_python::builtins::exceptions;
use tpv_python::exception::{
    EXCEPTION, FILE_NOT_FOUND_ERROR, HOST_UNAVAILABLE, OS_ERROR, RUNTIME_ERROR, TIMEOUT_ERROR, WARNING,
};
use tpv_python::module::ModuleDef;
use tpv_python::types::BuiltinType;

/// Declares exceptions: identifier, name, base.
macro_rules! exceptions {
    ($($module:literal { $($id:ident = $name:literal ($base:expr);)* })*) => {
        $($(static $id: BuiltinType = BuiltinType {
            construct: Some(|_, args| exceptions::construct(&$id, args)),
..BuiltinType::new($name, $module, &$base)
};)*)*
    };
}

exceptions! {
    "requests.exceptions" {
        REQUEST_EXCEPTION = "RequestException" (OS_ERROR);
        REQUESTS_CONNECTION_ERROR = "ConnectionError" (REQUEST_EXCEPTION);
        REQUESTS_PROXY_ERROR = "ProxyError" (REQUESTS_CONNECTION_ERROR);
        REQUESTS_SSL_ERROR = "SSLError" (REQUESTS_CONNECTION_ERROR);
        REQUESTS_TIMEOUT = "Timeout" (REQUEST_EXCEPTION);
        REQUESTS_CONNECT_TIMEOUT = "ConnectTimeout" (REQUESTS_TIMEOUT);
        REQUESTS_READ_TIMEOUT = "ReadTimeout" (REQUESTS_TIMEOUT);
        REQUESTS_HTTP_ERROR = "HTTPError" (REQUEST_EXCEPTION);
        REQUESTS_INVALID_JSON_ERROR = "InvalidJSONError" (REQUEST_EXCEPTION);
        REQUESTS_JSON_DECODE_ERROR = "JSONDecodeError" (REQUESTS_INVALID_JSON_ERROR);
        REQUESTS_CHUNKED_ENCODING_ERROR = "ChunkedEncodingError" (REQUEST_EXCEPTION);
        REQUESTS_CONTENT_DECODING_ERROR = "ContentDecodingError" (REQUEST_EXCEPTION);
        REQUESTS_INVALID_HEADER = "InvalidHeader" (REQUEST_EXCEPTION);
        REQUESTS_INVALID_SCHEMA = "InvalidSchema" (REQUEST_EXCEPTION);
        REQUESTS_INVALID_URL = "InvalidURL" (REQUEST_EXCEPTION);
        REQUESTS_MISSING_SCHEMA = "MissingSchema" (REQUEST_EXCEPTION);
        REQUESTS_RETRY_ERROR = "RetryError" (REQUEST_EXCEPTION);
        REQUESTS_TOO_MANY_REDIRECTS = "TooManyRedirects" (REQUEST_EXCEPTION);
        REQUESTS_URL_REQUIRED = "URLRequired" (REQUEST_EXCEPTION);
    }
    "httpx" {
        HTTPX_HTTP_ERROR = "HTTPError" (EXCEPTION);
        HTTPX_STATUS_ERROR = "HTTPStatusError" (HTTPX_HTTP_ERROR);
        HTTPX_REQUEST_ERROR = "RequestError" (HTTPX_HTTP_ERROR);
        HTTPX_DECODING_ERROR = "DecodingError" (HTTPX_REQUEST_ERROR);
        HTTPX_TOO_MANY_REDIRECTS = "TooManyRedirects" (HTTPX_REQUEST_ERROR);
        HTTPX_TRANSPORT_ERROR = "TransportError" (HTTPX_REQUEST_ERROR);
        HTTPX_PROTOCOL_ERROR = "ProtocolError" (HTTPX_TRANSPORT_ERROR);
        HTTPX_PROXY_ERROR = "ProxyError" (HTTPX_TRANSPORT_ERROR);
        HTTPX_UNSUPPORTED_PROTOCOL = "UnsupportedProtocol" (HTTPX_TRANSPORT_ERROR);
        HTTPX_NETWORK_ERROR = "NetworkError" (HTTPX_TRANSPORT_ERROR);
        HTTPX_CONNECT_ERROR = "ConnectError" (HTTPX_NETWORK_ERROR);
        HTTPX_READ_ERROR = "ReadError" (HTTPX_NETWORK_ERROR);
        HTTPX_TIMEOUT_EXCEPTION = "TimeoutException" (HTTPX_TRANSPORT_ERROR);
        HTTPX_CONNECT_TIMEOUT = "ConnectTimeout" (HTTPX_TIMEOUT_EXCEPTION);
        HTTPX_READ_TIMEOUT = "ReadTimeout" (HTTPX_TIMEOUT_EXCEPTION);
        HTTPX_INVALID_URL = "InvalidURL" (EXCEPTION);
        HTTPX_STREAM_ERROR = "StreamError" (RUNTIME_ERROR);
    }
    "urllib.error" {
        URL_ERROR = "URLError" (OS_ERROR);
        URLLIB_HTTP_ERROR = "HTTPError" (URL_ERROR);
        CONTENT_TOO_SHORT_ERROR = "ContentTooShortError" (URL_ERROR);
    }
    "psycopg2" {
        PSYCOPG2_ERROR = "Error" (EXCEPTION);
        PSYCOPG2_WARNING = "Warning" (EXCEPTION);
        PSYCOPG2_INTERFACE_ERROR = "InterfaceError" (PSYCOPG2_ERROR);
        PSYCOPG2_DATABASE_ERROR = "DatabaseError" (PSYCOPG2_ERROR);
        PSYCOPG2_DATA_ERROR = "DataError" (PSYCOPG2_DATABASE_ERROR);
        PSYCOPG2_INTEGRITY_ERROR = "IntegrityError" (PSYCOPG2_DATABASE_ERROR);
        PSYCOPG2_INTERNAL_ERROR = "InternalError" (PSYCOPG2_DATABASE_ERROR);
        PSYCOPG2_NOT_SUPPORTED_ERROR = "NotSupportedError" (PSYCOPG2_DATABASE_ERROR);
        PSYCOPG2_OPERATIONAL_ERROR = "OperationalError" (PSYCOPG2_DATABASE_ERROR);
        PSYCOPG2_PROGRAMMING_ERROR = "ProgrammingError" (PSYCOPG2_DATABASE_ERROR);
    }
    "psycopg2.extensions" {
        PSYCOPG2_QUERY_CANCELED = "QueryCanceledError" (PSYCOPG2_OPERATIONAL_ERROR);
        PSYCOPG2_TRANSACTION_ROLLBACK = "TransactionRollbackError" (PSYCOPG2_OPERATIONAL_ERROR);
    }
    "psycopg2.errors" {
        PSYCOPG2_QUERY_CANCELED_BY_CODE = "QueryCanceled" (PSYCOPG2_QUERY_CANCELED);
        PSYCOPG2_UNDEFINED_TABLE = "UndefinedTable" (PSYCOPG2_PROGRAMMING_ERROR);
        PSYCOPG2_UNDEFINED_COLUMN = "UndefinedColumn" (PSYCOPG2_PROGRAMMING_ERROR);
        PSYCOPG2_INSUFFICIENT_PRIVILEGE = "InsufficientPrivilege" (PSYCOPG2_PROGRAMMING_ERROR);
        PSYCOPG2_SYNTAX_ERROR = "SyntaxError" (PSYCOPG2_PROGRAMMING_ERROR);
    }
    "psycopg2.pool" {
        PSYCOPG2_POOL_ERROR = "PoolError" (PSYCOPG2_ERROR);
    }
    "pymysql.err" {
        MYSQL_ERROR = "MySQLError" (EXCEPTION);
        PYMYSQL_WARNING = "Warning" (WARNING);
        PYMYSQL_ERROR = "Error" (MYSQL_ERROR);
        PYMYSQL_INTERFACE_ERROR = "InterfaceError" (PYMYSQL_ERROR);
        PYMYSQL_DATABASE_ERROR = "DatabaseError" (PYMYSQL_ERROR);
        PYMYSQL_DATA_ERROR = "DataError" (PYMYSQL_DATABASE_ERROR);
        PYMYSQL_INTEGRITY_ERROR = "IntegrityError" (PYMYSQL_DATABASE_ERROR);
        PYMYSQL_INTERNAL_ERROR = "InternalError" (PYMYSQL_DATABASE_ERROR);
        PYMYSQL_NOT_SUPPORTED_ERROR = "NotSupportedError" (PYMYSQL_DATABASE_ERROR);
        PYMYSQL_OPERATIONAL_ERROR = "OperationalError" (PYMYSQL_DATABASE_ERROR);
        PYMYSQL_PROGRAMMING_ERROR = "ProgrammingError" (PYMYSQL_DATABASE_ERROR);
    }
    "redis.exceptions" {
        REDIS_ERROR = "RedisError" (EXCEPTION);
        REDIS_CONNECTION_ERROR = "ConnectionError" (REDIS_ERROR);
        REDIS_AUTHENTICATION_ERROR = "AuthenticationError" (REDIS_CONNECTION_ERROR);
        REDIS_BUSY_LOADING_ERROR = "BusyLoadingError" (REDIS_CONNECTION_ERROR);
        REDIS_TIMEOUT_ERROR = "TimeoutError" (REDIS_ERROR);
        REDIS_DATA_ERROR = "DataError" (REDIS_ERROR);
        REDIS_INVALID_RESPONSE = "InvalidResponse" (REDIS_ERROR);
        REDIS_LOCK_ERROR = "LockError" (REDIS_ERROR);
        REDIS_RESPONSE_ERROR = "ResponseError" (REDIS_ERROR);
        REDIS_READ_ONLY_ERROR = "ReadOnlyError" (REDIS_RESPONSE_ERROR);
        REDIS_WATCH_ERROR = "WatchError" (REDIS_ERROR);
    }
    "influxdb.exceptions" {
        INFLUXDB_CLIENT_ERROR = "InfluxDBClientError" (EXCEPTION);
        INFLUXDB_SERVER_ERROR = "InfluxDBServerError" (EXCEPTION);
    }
    "subprocess" {
        SUBPROCESS_ERROR = "SubprocessError" (EXCEPTION);
        CALLED_PROCESS_ERROR = "CalledProcessError" (SUBPROCESS_ERROR);
        TIMEOUT_EXPIRED = "TimeoutExpired" (SUBPROCESS_ERROR);
    }
    "socket" {
        GET_ADDRESS_INFO_ERROR = "gaierror" (OS_ERROR);
        HOST_ERROR = "herror" (OS_ERROR);
    }
    "smtplib" {
        SMTP_EXCEPTION = "SMTPException" (OS_ERROR);
        SMTP_NOT_SUPPORTED_ERROR = "SMTPNotSupportedError" (SMTP_EXCEPTION);
        SMTP_RECIPIENTS_REFUSED = "SMTPRecipientsRefused" (SMTP_EXCEPTION);
        SMTP_SERVER_DISCONNECTED = "SMTPServerDisconnected" (SMTP_EXCEPTION);
        SMTP_RESPONSE_EXCEPTION = "SMTPResponseException" (SMTP_EXCEPTION);
        SMTP_AUTHENTICATION_ERROR = "SMTPAuthenticationError" (SMTP_RESPONSE_EXCEPTION);
        SMTP_CONNECT_ERROR = "SMTPConnectError" (SMTP_RESPONSE_EXCEPTION);
        SMTP_DATA_ERROR = "SMTPDataError" (SMTP_RESPONSE_EXCEPTION);
        SMTP_HELO_ERROR = "SMTPHeloError" (SMTP_RESPONSE_EXCEPTION);
        SMTP_SENDER_REFUSED = "SMTPSenderRefused" (SMTP_RESPONSE_EXCEPTION);
    }
}

/// Declares modules: identifier, name, what is called of it, its exceptions, its constants, what a server without network
/// meets, and the attributes of that.
macro_rules! modules {
    ($($id:ident = $name:literal {
        [$($call:literal)*]
        exceptions [$($exception:literal = $class:ident)*]
        constants [$($constant:literal = $number:literal)*]
        failures [$($failure:ident)*] with [$($attribute:literal)*]
    })*) => {
        $(static $id: Outside = Outside {
            module: ModuleDef {
                name: $name,
                get: |_, name| Ok($id.get(name)),
                names: &[$($call,)* $($exception,)* $($constant),*],
            },
            exceptions: &[$(($exception, &$class)),*],
            constants: &[$(($constant, $number)),*],
            failure: {
                static FAILURE: BuiltinType = BuiltinType {
                    further_bases: &[$(&$failure),*],
                    ..BuiltinType::new(HOST_UNAVAILABLE.name, "", &HOST_UNAVAILABLE)
                };
                &FAILURE
            },
            attributes: &[$($attribute),*],
        };)*

        /// All modules that reach outside.
        pub static MODULES: &[&Outside] = &[$(&$id),*];
    };
}

modules! {
    REQUESTS = "requests" {
        ["PreparedRequest" "Request" "Response" "Session" "codes" "delete" "get" "head" "options" "patch" "post" "put"
         "request" "session"]
        exceptions ["ConnectTimeout" = REQUESTS_CONNECT_TIMEOUT "ConnectionError" = REQUESTS_CONNECTION_ERROR
            "HTTPError" = REQUESTS_HTTP_ERROR "JSONDecodeError" = REQUESTS_JSON_DECODE_ERROR
            "ReadTimeout" = REQUESTS_READ_TIMEOUT "RequestException" = REQUEST_EXCEPTION "Timeout" = REQUESTS_TIMEOUT
            "TooManyRedirects" = REQUESTS_TOO_MANY_REDIRECTS "URLRequired" = REQUESTS_URL_REQUIRED]
        constants []
        failures [REQUESTS_CONNECTION_ERROR] with ["request" "response"]
    }
    REQUESTS_ADAPTERS = "requests.adapters" {
        ["BaseAdapter" "HTTPAdapter" "Retry"]
        exceptions [] constants []
        failures [REQUESTS_CONNECTION_ERROR] with ["request" "response"]
    }
    REQUESTS_AUTH = "requests.auth" {
        ["AuthBase" "HTTPBasicAuth" "HTTPDigestAuth" "HTTPProxyAuth"]
        exceptions [] constants []
        failures [REQUESTS_CONNECTION_ERROR] with ["request" "response"]
    }
    REQUESTS_EXCEPTIONS = "requests.exceptions" {
        []
        exceptions ["ChunkedEncodingError" = REQUESTS_CHUNKED_ENCODING_ERROR "ConnectTimeout" = REQUESTS_CONNECT_TIMEOUT
            "ConnectionError" = REQUESTS_CONNECTION_ERROR "ContentDecodingError" = REQUESTS_CONTENT_DECODING_ERROR
            "HTTPError" = REQUESTS_HTTP_ERROR "InvalidHeader" = REQUESTS_INVALID_HEADER
            "InvalidJSONError" = REQUESTS_INVALID_JSON_ERROR "InvalidSchema" = REQUESTS_INVALID_SCHEMA
            "InvalidURL" = REQUESTS_INVALID_URL "JSONDecodeError" = REQUESTS_JSON_DECODE_ERROR
            "MissingSchema" = REQUESTS_MISSING_SCHEMA "ProxyError" = REQUESTS_PROXY_ERROR
            "ReadTimeout" = REQUESTS_READ_TIMEOUT "RequestException" = REQUEST_EXCEPTION
            "RetryError" = REQUESTS_RETRY_ERROR "SSLError" = REQUESTS_SSL_ERROR "Timeout" = REQUESTS_TIMEOUT
            "TooManyRedirects" = REQUESTS_TOO_MANY_REDIRECTS "URLRequired" = REQUESTS_URL_REQUIRED]
        constants []
        failures [REQUESTS_CONNECTION_ERROR] with ["request" "response"]
    }
    HTTPX = "httpx" {
        ["AsyncClient" "BasicAuth" "Client" "DigestAuth" "HTTPTransport" "Limits" "Request" "Response" "Timeout" "URL"
         "codes" "delete" "get" "head" "options" "patch" "post" "put" "request" "stream"]
        exceptions ["ConnectError" = HTTPX_CONNECT_ERROR "ConnectTimeout" = HTTPX_CONNECT_TIMEOUT
            "DecodingError" = HTTPX_DECODING_ERROR "HTTPError" = HTTPX_HTTP_ERROR "HTTPStatusError" = HTTPX_STATUS_ERROR
            "InvalidURL" = HTTPX_INVALID_URL "NetworkError" = HTTPX_NETWORK_ERROR "ProtocolError" = HTTPX_PROTOCOL_ERROR
            "ProxyError" = HTTPX_PROXY_ERROR "ReadError" = HTTPX_READ_ERROR "ReadTimeout" = HTTPX_READ_TIMEOUT
            "RequestError" = HTTPX_REQUEST_ERROR "StreamError" = HTTPX_STREAM_ERROR
            "TimeoutException" = HTTPX_TIMEOUT_EXCEPTION "TooManyRedirects" = HTTPX_TOO_MANY_REDIRECTS
            "TransportError" = HTTPX_TRANSPORT_ERROR "UnsupportedProtocol" = HTTPX_UNSUPPORTED_PROTOCOL]
        constants []
        failures [HTTPX_CONNECT_ERROR] with []
    }
    URLLIB_REQUEST = "urllib.request" {
        ["HTTPBasicAuthHandler" "HTTPHandler" "HTTPPasswordMgrWithDefaultRealm" "HTTPSHandler" "OpenerDirector"
         "ProxyHandler" "Request" "build_opener" "install_opener" "urlcleanup" "urlopen" "urlretrieve"]
        exceptions ["ContentTooShortError" = CONTENT_TOO_SHORT_ERROR "HTTPError" = URLLIB_HTTP_ERROR
            "URLError" = URL_ERROR]
        constants []
        failures [URL_ERROR] with ["reason"]
    }
    URLLIB_ERROR = "urllib.error" {
        []
        exceptions ["ContentTooShortError" = CONTENT_TOO_SHORT_ERROR "HTTPError" = URLLIB_HTTP_ERROR
            "URLError" = URL_ERROR]
        constants []
        failures [URL_ERROR] with ["reason"]
    }
    PSYCOPG2 = "psycopg2" {
        ["Binary" "Date" "Time" "Timestamp" "connect"]
        exceptions ["DataError" = PSYCOPG2_DATA_ERROR "DatabaseError" = PSYCOPG2_DATABASE_ERROR "Error" = PSYCOPG2_ERROR
            "IntegrityError" = PSYCOPG2_INTEGRITY_ERROR "InterfaceError" = PSYCOPG2_INTERFACE_ERROR
            "InternalError" = PSYCOPG2_INTERNAL_ERROR "NotSupportedError" = PSYCOPG2_NOT_SUPPORTED_ERROR
            "OperationalError" = PSYCOPG2_OPERATIONAL_ERROR "ProgrammingError" = PSYCOPG2_PROGRAMMING_ERROR
            "Warning" = PSYCOPG2_WARNING]
        constants []
        failures [PSYCOPG2_OPERATIONAL_ERROR] with ["cursor" "pgcode" "pgerror"]
    }
    PSYCOPG2_ERRORS = "psycopg2.errors" {
        ["lookup"]
        exceptions ["InsufficientPrivilege" = PSYCOPG2_INSUFFICIENT_PRIVILEGE
            "QueryCanceled" = PSYCOPG2_QUERY_CANCELED_BY_CODE "SyntaxError" = PSYCOPG2_SYNTAX_ERROR
            "UndefinedColumn" = PSYCOPG2_UNDEFINED_COLUMN "UndefinedTable" = PSYCOPG2_UNDEFINED_TABLE]
        constants []
        failures [PSYCOPG2_OPERATIONAL_ERROR] with ["cursor" "pgcode" "pgerror"]
    }
    PSYCOPG2_EXTENSIONS = "psycopg2.extensions" {
        ["AsIs" "adapt" "connection" "cursor" "make_dsn" "parse_dsn" "quote_ident" "register_adapter" "register_type"]
        exceptions ["QueryCanceledError" = PSYCOPG2_QUERY_CANCELED
            "TransactionRollbackError" = PSYCOPG2_TRANSACTION_ROLLBACK]
        constants ["ISOLATION_LEVEL_AUTOCOMMIT" = 0 "ISOLATION_LEVEL_READ_COMMITTED" = 1
            "ISOLATION_LEVEL_READ_UNCOMMITTED" = 4 "ISOLATION_LEVEL_REPEATABLE_READ" = 2
            "ISOLATION_LEVEL_SERIALIZABLE" = 3]
        failures [PSYCOPG2_OPERATIONAL_ERROR] with ["cursor" "pgcode" "pgerror"]
    }
    PSYCOPG2_EXTRAS = "psycopg2.extras" {
        ["DictConnection" "DictCursor" "DictRow" "Json" "LoggingConnection" "NamedTupleConnection" "NamedTupleCursor"
         "RealDictConnection" "RealDictCursor" "RealDictRow" "execute_batch" "execute_values" "register_uuid"]
        exceptions [] constants []
        failures [PSYCOPG2_OPERATIONAL_ERROR] with ["cursor" "pgcode" "pgerror"]
    }
    PSYCOPG2_POOL = "psycopg2.pool" {
        ["AbstractConnectionPool" "SimpleConnectionPool" "ThreadedConnectionPool"]
        exceptions ["PoolError" = PSYCOPG2_POOL_ERROR] constants []
        failures [PSYCOPG2_OPERATIONAL_ERROR] with ["cursor" "pgcode" "pgerror"]
    }
    PSYCOPG2_SQL = "psycopg2.sql" {
        ["Composable" "Composed" "Identifier" "Literal" "Placeholder" "SQL"]
        exceptions [] constants []
        failures [PSYCOPG2_OPERATIONAL_ERROR] with ["cursor" "pgcode" "pgerror"]
    }
    PYMYSQL = "pymysql" {
        ["Connect" "Connection" "connect" "install_as_MySQLdb"]
        exceptions ["DataError" = PYMYSQL_DATA_ERROR "DatabaseError" = PYMYSQL_DATABASE_ERROR "Error" = PYMYSQL_ERROR
            "IntegrityError" = PYMYSQL_INTEGRITY_ERROR "InterfaceError" = PYMYSQL_INTERFACE_ERROR
            "InternalError" = PYMYSQL_INTERNAL_ERROR "MySQLError" = MYSQL_ERROR
            "NotSupportedError" = PYMYSQL_NOT_SUPPORTED_ERROR "OperationalError" = PYMYSQL_OPERATIONAL_ERROR
            "ProgrammingError" = PYMYSQL_PROGRAMMING_ERROR "Warning" = PYMYSQL_WARNING]
        constants []
        failures [PYMYSQL_OPERATIONAL_ERROR] with []
    }
    PYMYSQL_CURSORS = "pymysql.cursors" {
        ["Cursor" "DictCursor" "SSCursor" "SSDictCursor"]
        exceptions [] constants []
        failures [PYMYSQL_OPERATIONAL_ERROR] with []
    }
    PYMYSQL_ERR = "pymysql.err" {
        []
        exceptions ["DataError" = PYMYSQL_DATA_ERROR "DatabaseError" = PYMYSQL_DATABASE_ERROR "Error" = PYMYSQL_ERROR
            "IntegrityError" = PYMYSQL_INTEGRITY_ERROR "InterfaceError" = PYMYSQL_INTERFACE_ERROR
            "InternalError" = PYMYSQL_INTERNAL_ERROR "MySQLError" = MYSQL_ERROR
            "NotSupportedError" = PYMYSQL_NOT_SUPPORTED_ERROR "OperationalError" = PYMYSQL_OPERATIONAL_ERROR
            "ProgrammingError" = PYMYSQL_PROGRAMMING_ERROR "Warning" = PYMYSQL_WARNING]
        constants []
        failures [PYMYSQL_OPERATIONAL_ERROR] with []
    }
    REDIS = "redis" {
        ["BlockingConnectionPool" "Connection" "ConnectionPool" "Redis" "RedisCluster" "Sentinel" "StrictRedis"
         "from_url"]
        exceptions ["AuthenticationError" = REDIS_AUTHENTICATION_ERROR "BusyLoadingError" = REDIS_BUSY_LOADING_ERROR
            "ConnectionError" = REDIS_CONNECTION_ERROR "DataError" = REDIS_DATA_ERROR
            "InvalidResponse" = REDIS_INVALID_RESPONSE "ReadOnlyError" = REDIS_READ_ONLY_ERROR
            "RedisError" = REDIS_ERROR "ResponseError" = REDIS_RESPONSE_ERROR "TimeoutError" = REDIS_TIMEOUT_ERROR
            "WatchError" = REDIS_WATCH_ERROR]
        constants []
        failures [REDIS_CONNECTION_ERROR] with []
    }
    REDIS_EXCEPTIONS = "redis.exceptions" {
        []
        exceptions ["AuthenticationError" = REDIS_AUTHENTICATION_ERROR "BusyLoadingError" = REDIS_BUSY_LOADING_ERROR
            "ConnectionError" = REDIS_CONNECTION_ERROR "DataError" = REDIS_DATA_ERROR
            "InvalidResponse" = REDIS_INVALID_RESPONSE "LockError" = REDIS_LOCK_ERROR
            "ReadOnlyError" = REDIS_READ_ONLY_ERROR "RedisError" = REDIS_ERROR "ResponseError" = REDIS_RESPONSE_ERROR
            "TimeoutError" = REDIS_TIMEOUT_ERROR "WatchError" = REDIS_WATCH_ERROR]
        constants []
        failures [REDIS_CONNECTION_ERROR] with []
    }
    INFLUXDB = "influxdb" {
        ["DataFrameClient" "InfluxDBClient" "SeriesHelper"]
        exceptions [] constants []
        failures [INFLUXDB_CLIENT_ERROR INFLUXDB_SERVER_ERROR REQUESTS_CONNECTION_ERROR] with []
    }
    INFLUXDB_EXCEPTIONS = "influxdb.exceptions" {
        []
        exceptions ["InfluxDBClientError" = INFLUXDB_CLIENT_ERROR "InfluxDBServerError" = INFLUXDB_SERVER_ERROR]
        constants []
        failures [INFLUXDB_CLIENT_ERROR INFLUXDB_SERVER_ERROR REQUESTS_CONNECTION_ERROR] with []
    }
    SUBPROCESS = "subprocess" {
        ["CompletedProcess" "Popen" "call" "check_call" "check_output" "getoutput" "getstatusoutput" "list2cmdline" "run"]
        exceptions ["CalledProcessError" = CALLED_PROCESS_ERROR "SubprocessError" = SUBPROCESS_ERROR
            "TimeoutExpired" = TIMEOUT_EXPIRED]
        constants ["DEVNULL" = -3 "PIPE" = -1 "STDOUT" = -2]
        failures [CALLED_PROCESS_ERROR FILE_NOT_FOUND_ERROR] with ["cmd" "output" "returncode" "stderr" "stdout"]
    }
    SOCKET = "socket" {
        ["create_connection" "getaddrinfo" "getfqdn" "gethostbyaddr" "gethostbyname" "gethostbyname_ex" "gethostname"
         "getnameinfo" "setdefaulttimeout" "socket" "socketpair"]
        exceptions ["error" = OS_ERROR "gaierror" = GET_ADDRESS_INFO_ERROR "herror" = HOST_ERROR "timeout" = TIMEOUT_ERROR]
        constants ["AF_INET" = 2 "AF_INET6" = 10 "AF_UNIX" = 1 "SHUT_RDWR" = 2 "SOCK_DGRAM" = 2 "SOCK_STREAM" = 1
            "SOL_SOCKET" = 1 "SO_REUSEADDR" = 2]
        failures [GET_ADDRESS_INFO_ERROR] with []
    }
    SMTPLIB = "smtplib" {
        ["LMTP" "SMTP" "SMTP_SSL"]
        exceptions ["SMTPAuthenticationError" = SMTP_AUTHENTICATION_ERROR "SMTPConnectError" = SMTP_CONNECT_ERROR
            "SMTPDataError" = SMTP_DATA_ERROR "SMTPException" = SMTP_EXCEPTION "SMTPHeloError" = SMTP_HELO_ERROR
            "SMTPNotSupportedError" = SMTP_NOT_SUPPORTED_ERROR "SMTPRecipientsRefused" = SMTP_RECIPIENTS_REFUSED
            "SMTPResponseException" = SMTP_RESPONSE_EXCEPTION "SMTPSenderRefused" = SMTP_SENDER_REFUSED
            "SMTPServerDisconnected" = SMTP_SERVER_DISCONNECTED]
        constants ["SMTP_PORT" = 25 "SMTP_SSL_PORT" = 465]
        failures [GET_ADDRESS_INFO_ERROR SMTP_CONNECT_ERROR] with []
    }
    // Its counts join the table of users, and its hashes ask the server.
    RULE_HELPER = "galaxy.jobs.rule_helper" {
        ["RuleHelper"]
        exceptions [] constants []
        failures [] with []
    }
}
