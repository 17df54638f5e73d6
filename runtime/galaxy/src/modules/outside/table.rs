//! The contents of the modules that reach outside: the names that rules use, and the exceptions that they catch.

use super::{Failure, Outside};
use tpv_python::builtins::exceptions;
use tpv_python::exception::{EXCEPTION, FILE_NOT_FOUND_ERROR, HOST_UNAVAILABLE, OS_ERROR, TIMEOUT_ERROR, WARNING};
use tpv_python::module::ModuleDef;
use tpv_python::types::BuiltinType;

/// Declares the exceptions of a module: identifier, name, base.
macro_rules! exceptions {
    ($($module:literal { $($id:ident = $name:literal ($base:ident);)* })*) => {
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
        REQUESTS_JSON_DECODE_ERROR = "JSONDecodeError" (REQUEST_EXCEPTION);
        REQUESTS_INVALID_URL = "InvalidURL" (REQUEST_EXCEPTION);
        REQUESTS_RETRY_ERROR = "RetryError" (REQUEST_EXCEPTION);
        REQUESTS_TOO_MANY_REDIRECTS = "TooManyRedirects" (REQUEST_EXCEPTION);
        REQUESTS_URL_REQUIRED = "URLRequired" (REQUEST_EXCEPTION);
    }
    "httpx" {
        HTTPX_HTTP_ERROR = "HTTPError" (EXCEPTION);
        HTTPX_STATUS_ERROR = "HTTPStatusError" (HTTPX_HTTP_ERROR);
        HTTPX_REQUEST_ERROR = "RequestError" (HTTPX_HTTP_ERROR);
        HTTPX_TRANSPORT_ERROR = "TransportError" (HTTPX_REQUEST_ERROR);
        HTTPX_NETWORK_ERROR = "NetworkError" (HTTPX_TRANSPORT_ERROR);
        HTTPX_CONNECT_ERROR = "ConnectError" (HTTPX_NETWORK_ERROR);
        HTTPX_READ_ERROR = "ReadError" (HTTPX_NETWORK_ERROR);
        HTTPX_TIMEOUT_EXCEPTION = "TimeoutException" (HTTPX_TRANSPORT_ERROR);
        HTTPX_CONNECT_TIMEOUT = "ConnectTimeout" (HTTPX_TIMEOUT_EXCEPTION);
        HTTPX_READ_TIMEOUT = "ReadTimeout" (HTTPX_TIMEOUT_EXCEPTION);
    }
    "urllib.error" {
        URL_ERROR = "URLError" (OS_ERROR);
        URLLIB_HTTP_ERROR = "HTTPError" (URL_ERROR);
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
    "psycopg2.errors" {
        PSYCOPG2_UNDEFINED_TABLE = "UndefinedTable" (PSYCOPG2_PROGRAMMING_ERROR);
        PSYCOPG2_UNDEFINED_COLUMN = "UndefinedColumn" (PSYCOPG2_PROGRAMMING_ERROR);
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
        REDIS_TIMEOUT_ERROR = "TimeoutError" (REDIS_ERROR);
        REDIS_DATA_ERROR = "DataError" (REDIS_ERROR);
        REDIS_RESPONSE_ERROR = "ResponseError" (REDIS_ERROR);
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
        SMTP_SERVER_DISCONNECTED = "SMTPServerDisconnected" (SMTP_EXCEPTION);
        SMTP_RESPONSE_EXCEPTION = "SMTPResponseException" (SMTP_EXCEPTION);
        SMTP_AUTHENTICATION_ERROR = "SMTPAuthenticationError" (SMTP_RESPONSE_EXCEPTION);
        SMTP_CONNECT_ERROR = "SMTPConnectError" (SMTP_RESPONSE_EXCEPTION);
    }
}

/// Declares what is raised: identifier, the exceptions that a server without network meets, the attributes of those.
macro_rules! failures {
    ($($id:ident = [$($base:ident)*] with [$($attribute:literal)*];)*) => {
        $(static $id: Failure = Failure {
            class: BuiltinType {
                further_bases: &[$(&$base),*],
                ..BuiltinType::new(HOST_UNAVAILABLE.name, "", &HOST_UNAVAILABLE)
            },
            attributes: &[$($attribute),*],
        };)*
    };
}

failures! {
    REQUESTS_FAILURE = [REQUESTS_CONNECTION_ERROR] with ["request" "response"];
    HTTPX_FAILURE = [HTTPX_CONNECT_ERROR] with [];
    URLLIB_FAILURE = [URL_ERROR] with ["reason"];
    PSYCOPG2_FAILURE = [PSYCOPG2_OPERATIONAL_ERROR] with ["cursor" "pgcode" "pgerror"];
    PYMYSQL_FAILURE = [PYMYSQL_OPERATIONAL_ERROR] with [];
    REDIS_FAILURE = [REDIS_CONNECTION_ERROR] with [];
    INFLUXDB_FAILURE = [INFLUXDB_CLIENT_ERROR INFLUXDB_SERVER_ERROR REQUESTS_CONNECTION_ERROR] with [];
    SUBPROCESS_FAILURE = [CALLED_PROCESS_ERROR FILE_NOT_FOUND_ERROR] with ["cmd" "output" "returncode" "stderr" "stdout"];
    SOCKET_FAILURE = [GET_ADDRESS_INFO_ERROR] with [];
    SMTP_FAILURE = [GET_ADDRESS_INFO_ERROR SMTP_CONNECT_ERROR] with [];
}

/// Declares modules: identifier, name, what calling them raises; what is called of them, their exceptions, and where they have some,
/// other names for exceptions, and constants.
macro_rules! modules {
    ($($id:ident = $name:literal raises $failure:ident {
        [$($call:literal)*] [$($exception:ident)*]
        $(aliases [$($alias:literal = $aliased:ident)*])?
        $(constants [$($constant:literal = $number:literal)*])?
    })*) => {
        $(static $id: Outside = Outside {
            module: ModuleDef {
                name: $name,
                get: |_, name| Ok($id.get(name)),
                names: &[$($call,)* $($exception.name,)* $($($alias,)*)? $($($constant,)*)?],
            },
            exceptions: &[$(($exception.name, &$exception),)* $($(($alias, &$aliased),)*)?],
            constants: &[$($(($constant, $number),)*)?],
            failure: &$failure,
        };)*

        /// All modules that reach outside.
        pub static MODULES: &[&Outside] = &[$(&$id),*];
    };
}

modules! {
    REQUESTS = "requests" raises REQUESTS_FAILURE {
        ["PreparedRequest" "Request" "Response" "Session" "codes" "delete" "get" "head" "options" "patch" "post" "put"
         "request" "session"]
        [REQUESTS_CONNECT_TIMEOUT REQUESTS_CONNECTION_ERROR REQUESTS_HTTP_ERROR REQUESTS_JSON_DECODE_ERROR REQUESTS_READ_TIMEOUT
         REQUEST_EXCEPTION REQUESTS_TIMEOUT REQUESTS_TOO_MANY_REDIRECTS REQUESTS_URL_REQUIRED]
    }
    REQUESTS_ADAPTERS = "requests.adapters" raises REQUESTS_FAILURE { ["HTTPAdapter" "Retry"] [] }
    REQUESTS_AUTH = "requests.auth" raises REQUESTS_FAILURE { ["AuthBase" "HTTPBasicAuth" "HTTPDigestAuth"] [] }
    REQUESTS_EXCEPTIONS = "requests.exceptions" raises REQUESTS_FAILURE {
        []
        [REQUESTS_CONNECT_TIMEOUT REQUESTS_CONNECTION_ERROR REQUESTS_HTTP_ERROR REQUESTS_INVALID_URL REQUESTS_JSON_DECODE_ERROR
         REQUESTS_PROXY_ERROR REQUESTS_READ_TIMEOUT REQUEST_EXCEPTION REQUESTS_RETRY_ERROR REQUESTS_SSL_ERROR REQUESTS_TIMEOUT
         REQUESTS_TOO_MANY_REDIRECTS REQUESTS_URL_REQUIRED]
    }
    HTTPX = "httpx" raises HTTPX_FAILURE {
        ["AsyncClient" "BasicAuth" "Client" "HTTPTransport" "Limits" "Request" "Response" "Timeout" "URL" "codes" "delete" "get"
         "head" "options" "patch" "post" "put" "request" "stream"]
        [HTTPX_CONNECT_ERROR HTTPX_CONNECT_TIMEOUT HTTPX_HTTP_ERROR HTTPX_STATUS_ERROR HTTPX_NETWORK_ERROR HTTPX_READ_ERROR
         HTTPX_READ_TIMEOUT HTTPX_REQUEST_ERROR HTTPX_TIMEOUT_EXCEPTION HTTPX_TRANSPORT_ERROR]
    }
    URLLIB_REQUEST = "urllib.request" raises URLLIB_FAILURE {
        ["HTTPBasicAuthHandler" "HTTPPasswordMgrWithDefaultRealm" "ProxyHandler" "Request" "build_opener" "install_opener" "urlopen"
         "urlretrieve"]
        [URLLIB_HTTP_ERROR URL_ERROR]
    }
    URLLIB_ERROR = "urllib.error" raises URLLIB_FAILURE { [] [URLLIB_HTTP_ERROR URL_ERROR] }
    PSYCOPG2 = "psycopg2" raises PSYCOPG2_FAILURE {
        ["connect"]
        [PSYCOPG2_DATA_ERROR PSYCOPG2_DATABASE_ERROR PSYCOPG2_ERROR PSYCOPG2_INTEGRITY_ERROR PSYCOPG2_INTERFACE_ERROR
         PSYCOPG2_INTERNAL_ERROR PSYCOPG2_NOT_SUPPORTED_ERROR PSYCOPG2_OPERATIONAL_ERROR PSYCOPG2_PROGRAMMING_ERROR
         PSYCOPG2_WARNING]
    }
    PSYCOPG2_ERRORS = "psycopg2.errors" raises PSYCOPG2_FAILURE {
        ["lookup"] [PSYCOPG2_UNDEFINED_COLUMN PSYCOPG2_UNDEFINED_TABLE]
    }
    PSYCOPG2_EXTRAS = "psycopg2.extras" raises PSYCOPG2_FAILURE {
        ["DictConnection" "DictCursor" "DictRow" "Json" "NamedTupleConnection" "NamedTupleCursor" "RealDictConnection"
         "RealDictCursor" "RealDictRow" "execute_batch" "execute_values"]
        []
    }
    PYMYSQL = "pymysql" raises PYMYSQL_FAILURE {
        ["Connect" "Connection" "connect"]
        [PYMYSQL_DATA_ERROR PYMYSQL_DATABASE_ERROR PYMYSQL_ERROR PYMYSQL_INTEGRITY_ERROR PYMYSQL_INTERFACE_ERROR
         PYMYSQL_INTERNAL_ERROR MYSQL_ERROR PYMYSQL_NOT_SUPPORTED_ERROR PYMYSQL_OPERATIONAL_ERROR PYMYSQL_PROGRAMMING_ERROR
         PYMYSQL_WARNING]
    }
    PYMYSQL_CURSORS = "pymysql.cursors" raises PYMYSQL_FAILURE { ["Cursor" "DictCursor" "SSCursor" "SSDictCursor"] [] }
    PYMYSQL_ERR = "pymysql.err" raises PYMYSQL_FAILURE {
        []
        [PYMYSQL_DATA_ERROR PYMYSQL_DATABASE_ERROR PYMYSQL_ERROR PYMYSQL_INTEGRITY_ERROR PYMYSQL_INTERFACE_ERROR
         PYMYSQL_INTERNAL_ERROR MYSQL_ERROR PYMYSQL_NOT_SUPPORTED_ERROR PYMYSQL_OPERATIONAL_ERROR PYMYSQL_PROGRAMMING_ERROR
         PYMYSQL_WARNING]
    }
    REDIS = "redis" raises REDIS_FAILURE {
        ["Connection" "ConnectionPool" "Redis" "RedisCluster" "Sentinel" "StrictRedis" "from_url"]
        [REDIS_AUTHENTICATION_ERROR REDIS_CONNECTION_ERROR REDIS_DATA_ERROR REDIS_ERROR REDIS_RESPONSE_ERROR REDIS_TIMEOUT_ERROR]
    }
    REDIS_EXCEPTIONS = "redis.exceptions" raises REDIS_FAILURE {
        []
        [REDIS_AUTHENTICATION_ERROR REDIS_CONNECTION_ERROR REDIS_DATA_ERROR REDIS_ERROR REDIS_RESPONSE_ERROR REDIS_TIMEOUT_ERROR]
    }
    INFLUXDB = "influxdb" raises INFLUXDB_FAILURE { ["DataFrameClient" "InfluxDBClient"] [] }
    INFLUXDB_EXCEPTIONS = "influxdb.exceptions" raises INFLUXDB_FAILURE { [] [INFLUXDB_CLIENT_ERROR INFLUXDB_SERVER_ERROR] }
    SUBPROCESS = "subprocess" raises SUBPROCESS_FAILURE {
        ["CompletedProcess" "Popen" "call" "check_call" "check_output" "getoutput" "getstatusoutput" "run"]
        [CALLED_PROCESS_ERROR SUBPROCESS_ERROR TIMEOUT_EXPIRED]
        constants ["DEVNULL" = -3 "PIPE" = -1 "STDOUT" = -2]
    }
    SOCKET = "socket" raises SOCKET_FAILURE {
        ["create_connection" "getaddrinfo" "getfqdn" "gethostbyaddr" "gethostbyname" "gethostname" "setdefaulttimeout" "socket"]
        [GET_ADDRESS_INFO_ERROR HOST_ERROR]
        aliases ["error" = OS_ERROR "timeout" = TIMEOUT_ERROR]
        constants ["AF_INET" = 2 "AF_INET6" = 10 "AF_UNIX" = 1 "SOCK_DGRAM" = 2 "SOCK_STREAM" = 1]
    }
    SMTPLIB = "smtplib" raises SMTP_FAILURE {
        ["LMTP" "SMTP" "SMTP_SSL"]
        [SMTP_AUTHENTICATION_ERROR SMTP_CONNECT_ERROR SMTP_EXCEPTION SMTP_RESPONSE_EXCEPTION SMTP_SERVER_DISCONNECTED]
    }
}
