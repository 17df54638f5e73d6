"""Templates of modules that code data as other data, by the kind they should give; `grammar.py` says how they are written."""

TEMPLATES = {
    "bytes": r"""
        hashlib.md5($data).digest()|hashlib.new($algorithm, $data).digest()|hashlib.shake_128($data).digest($small)|hashlib.blake2b($data, digest_size=$small, key=$data).digest()|hashlib.blake2s($data, salt=$data, person=$data).digest()|hashlib.pbkdf2_hmac($algorithm, $data, $data, $small)|hashlib.pbkdf2_hmac('sha256', $data, $data, $positive, dklen=$small)
        base64.b64encode($data)|base64.b64encode($data, $data)|base64.b64encode($data, altchars=b'-_')|base64.b64decode($coded)|base64.b64decode($coded, validate=True)|base64.b64decode($coded, $data)|base64.b64decode(base64.b64encode($data))|base64.standard_b64encode($data)|base64.standard_b64decode($coded)|base64.urlsafe_b64encode($data)|base64.urlsafe_b64decode($coded)
        base64.b32encode($data)|base64.b32decode($coded)|base64.b32decode($coded, casefold=True)|base64.b32decode($coded, True, $char)|base64.b32decode(base64.b32encode($data))|base64.b32hexencode($data)|base64.b32hexdecode(base64.b32hexencode($data))|base64.b32hexdecode($coded, $bool)|base64.b16encode($data)|base64.b16decode($coded, $bool)|base64.b16decode(base64.b16encode($data))
        base64.a85encode($data)|base64.a85encode($data, foldspaces=$bool, wrapcol=$small, pad=$bool, adobe=$bool)|base64.a85decode($coded)|base64.a85decode($coded, foldspaces=$bool, adobe=$bool)|base64.a85decode(base64.a85encode($data))|base64.b85encode($data)|base64.b85encode($data, $bool)|base64.b85decode($coded)|base64.b85decode(base64.b85encode($data))|base64.encodebytes($data * $positive)|base64.decodebytes($data)
        binascii.hexlify($data)|binascii.hexlify($data, $char)|binascii.hexlify($data, ':', $small)|binascii.b2a_hex($data, b'-', $small)|binascii.unhexlify($coded)|binascii.a2b_hex($coded)|binascii.unhexlify(binascii.hexlify($data))|binascii.a2b_base64($coded)|binascii.a2b_base64($coded, strict_mode=True)|binascii.b2a_base64($data)|binascii.b2a_base64($data, newline=$bool)
        urllib.parse.unquote_to_bytes($quoted)|$str.encode('utf-8', $errors)|$str.encode($enc, $errors)|bytes.fromhex($data.hex())|random.Random($int).randbytes($small)
    """,
    "str": r"""
        hashlib.md5($data).hexdigest()|hashlib.sha1($data).hexdigest()|hashlib.sha224($data).hexdigest()|hashlib.sha256($str.encode()).hexdigest()[:$positive]|hashlib.sha384($data).hexdigest()|hashlib.sha512($data).hexdigest()|hashlib.sha3_256($data).hexdigest()|hashlib.new($algorithm, $data).hexdigest()|hashlib.new($algorithm).name|hashlib.shake_256($data).hexdigest($small)
        hashlib.md5($data, usedforsecurity=False).hexdigest()|hashlib.blake2s($data).hexdigest()|hashlib.blake2b($data, digest_size=$positive).hexdigest()|hashlib.new(name=$algorithm, data=$data).copy().hexdigest()|hashlib.sha256(b''.join([$data, $data])).hexdigest()
        urllib.parse.quote($str)|urllib.parse.quote($str, $str)|urllib.parse.quote($str, safe='')|urllib.parse.quote($data)|urllib.parse.quote($str, encoding=$enc, errors=$errors)|urllib.parse.quote_plus($str)|urllib.parse.quote_plus($str, '/ ')|urllib.parse.quote_from_bytes($data)|urllib.parse.unquote($quoted)|urllib.parse.unquote($quoted, $enc)|urllib.parse.unquote($quoted, errors=$errors)|urllib.parse.unquote_plus($quoted)|urllib.parse.unquote(urllib.parse.quote($str))
        urllib.parse.urlencode($dict)|urllib.parse.urlencode($dict, doseq=True)|urllib.parse.urlencode($dict, quote_via=urllib.parse.quote)|urllib.parse.urlencode([$tuple, $tuple])|urllib.parse.urlencode({$str: $list}, True)|urllib.parse.urlencode($any)|urllib.parse.urljoin($url, $url)|urllib.parse.urljoin($url, $path)|urllib.parse.urlunsplit(urllib.parse.urlsplit($url))|urllib.parse.urlsplit($url).geturl()|urllib.parse.urlparse($url).geturl()
        urllib.parse.urldefrag($url).url|urllib.parse.urlunparse(('http', $str, $path, '', $str, ''))|urllib.parse.urlunsplit((None, $str, $path, $str, $str))|urllib.parse.urlunsplit($tuple)|urllib.parse.urlsplit($url).$urlpart|urllib.parse.urlparse($url).$urlpart|urllib.parse.urlparse($url, $str).scheme|urllib.parse.urlsplit($url, allow_fragments=$bool).path|urllib.parse.urlsplit($url)._replace(netloc=$str).geturl()
        html.escape($str)|html.escape($str, $bool)|html.escape($str, quote=False)|html.escape('<a href=\"x\">&\'')|shlex.quote($str)|shlex.quote($shell)|shlex.join($strlist)|shlex.join(shlex.split($shell))
        $data.decode($enc, $errors)|$data.decode('utf-8', $errors)|$data.decode(errors=$errors)|$data.hex()|$data.hex($char)|$data.hex(':', $small)|str($data, $enc, $errors)|repr(urllib.parse.urlsplit($url))|repr(urllib.parse.urlparse($url))|repr(urllib.parse.urldefrag($url))
    """,
    "int": r"""
        zlib.crc32($data)|zlib.crc32($data, $int)|zlib.adler32($data)|zlib.adler32($data, $int)|binascii.crc32($data)|binascii.crc32($data, $small)|binascii.crc_hqx($data, $small)|int(hashlib.md5($data).hexdigest(), 16)|int(hashlib.sha256($str.encode()).hexdigest(), 16) % $positive|int.from_bytes(hashlib.sha1($data).digest()[:4], 'big')|hashlib.new($algorithm).digest_size|hashlib.new($algorithm).block_size
        urllib.parse.urlsplit($url).port or 0|len(urllib.parse.urlsplit($url))
    """,
    "list": r"""
        shlex.split($shell)|shlex.split($shell, posix=False)|shlex.split($shell, comments=True)|shlex.split($str)|shlex.split(shlex.join($strlist))|urllib.parse.parse_qsl($query)|urllib.parse.parse_qsl($query, keep_blank_values=$bool)|urllib.parse.parse_qsl($query, strict_parsing=$bool, max_num_fields=$small)|urllib.parse.parse_qsl($query, separator=$char)|list(urllib.parse.urlsplit($url))
        sorted(hashlib.algorithms_guaranteed)|[urllib.parse.quote(x) for x in $strlist]|[html.escape(x) for x in $strlist]
    """,
    "tuple": "tuple(urllib.parse.urlparse($url))|urllib.parse.urldefrag($url)[:]|urllib.parse.urlsplit($url)[:$small]|(urllib.parse.urlsplit($url).$urlpart, urllib.parse.urlsplit($url).$urlpart)",
    "dict": "urllib.parse.parse_qs($query)|urllib.parse.parse_qs($query, True, $bool)|urllib.parse.parse_qs(urllib.parse.urlencode($intdict))|urllib.parse.parse_qs(urllib.parse.urlsplit($url).query)|urllib.parse.urlsplit($url)._asdict()|dict(urllib.parse.parse_qsl($query))",
    "any": r"""
        hashlib.new($any)|hashlib.new($str, $any)|hashlib.md5($any).hexdigest()|hashlib.sha256($data).update($any)|hashlib.sha1($any, $any)|hashlib.blake2b(digest_size=$any).name|hashlib.pbkdf2_hmac('sha1', $any, $any, $small)|base64.b64encode($any)|base64.b64decode($any)|base64.b32decode($any)|base64.b85decode($any)|base64.a85encode($any)|binascii.hexlify($any)|binascii.hexlify($data, $any)|binascii.unhexlify($any)|binascii.crc32($any)|zlib.crc32($any, $any)
        urllib.parse.urlparse($url)|urllib.parse.urlsplit($url)|urllib.parse.urldefrag($url)|urllib.parse.urlsplit($url).port|urllib.parse.urlsplit($url).hostname|urllib.parse.urlsplit($url).username|urllib.parse.urljoin($any, $any)|urllib.parse.quote($any)|urllib.parse.quote($str, safe=$any)|urllib.parse.unquote($any)|urllib.parse.parse_qs($any)|urllib.parse.parse_qsl($query, max_num_fields=$any)|urllib.parse.urlunsplit($any)|html.escape($any)|shlex.quote($any)|shlex.split($any)|shlex.join($any)
    """,
}

LITERALS = {
    "data": ["b''", "b'a'", "b'abc'", "b'hello world'", "b'\\x00'", "b'\\x00\\x00\\x00\\x00'", "b'\\xff'", "b'\\xff\\xfe\\xfd'", "b'    '", "b'-_'", "b'aGk='", "b'0g'", "b'\\xc3\\xa9'", "b'\\xe2\\x82'", "b'\\xed\\xa0\\x80'", "b'\\xf0\\x9f\\x98\\x80'", "b'a' * 64",
             "b'a' * 57", "b'0123456789' * 13", "b'GEZDGNBV'", "b'<~87cURD]~>'", "b'00ff'", "b'4142'", "b'~>'", "b'z'", "b'\\xc0\\x80'", "b'a\\xffb'"],
    "coded": ["''", "'YQ=='", "'YWJj'", "'YQ'", "'YQ='", "'YQ==='", "'Y Q = ='", "b'YWJj'", "b'YWI='", "'=YQ='", "'Y=Q='", "'YWJj\\n'", "'YW-_'", "'YW+/'", "'é'", "'ME======'", "'MFRGG==='", "'mfrgg==='", "'MFRG0==='", "'M1======'", "b'MFRA===='", "'6162'", "'6'", "'616G'", "'aB'", "b'61 62'",
              "b'87cURD]i,\"Ebo80'", "b'<~87cURD]~>'", "b'z'", "b'!!'", "b'zz!'", "b'y'", "b'uuuuu'", "'s8W-!'", "b'VPaz%M'", "b'~'", "b'00'", "b'|NsC0'", "b'a b'", "'CPNMU==='"],
    "algorithm": ["'md5'", "'sha1'", "'SHA256'", "'sha256'", "'sha512'", "'sha224'", "'sha384'", "'sha3_512'", "'sha3_224'", "'blake2b'", "'blake2s'", "'nope'", "''", "'sha-256'"],
    "errors": ["'strict'", "'ignore'", "'replace'", "'backslashreplace'", "'xmlcharrefreplace'", "'nope'", "''"],
    "quoted": ["''", "'a%20b'", "'%E2%82%AC'", "'%'", "'%4'", "'%zz'", "'a+b'", "'%ff'", "'é%C3%A9'", "'%41%42'", "'%00'", "'100%'", "'%e9'", "'%25'", "b'%41'", "'%F0%9F%98%80'", "'%C3'", "'x%C3%28y'"],
    "url": ["''", "'http://example.org'", "'https://user:pw@host:8080/a/b;p?q=1&r=2#frag'", "'//host/path'", "'/a/b/../c'", "'?q'", "'#f'", "'http://[::1]:80/'", "'http://[::1'", "'http://host:port/'", "'http://host:99999/'", "'http://host:-1/'", "'mailto:x@y'", "'HTTP://Host/Path'", "'ftp://a/b;type=i'",
            "'a:b'", "'1a:b'", "'http:///x'", "'http://a?b#c?d'", "'../x'", "'.'", "'..'", "'./g'", "'g;x=1/../y'", "'g?y/./x'", "'http://a/b/c/d;p?q'", "'http:g'", "'file:///etc/x'", "' http://x '", "'http://a\\tb/\\nc'", "'http://é/ü?ö'", "'http://u@h@x/'", "'s3://bucket/key'", "'http://a:/'",
            "'http://user@'", "'path;a=b;c'", "'http://a/;x'", "'javascript:1'", "'http://℀/'", "'\\x00http://a'", "'http://[v1.x]/'", "'http://[1.2.3]/'", "'http://a]b/'"],
    "urlpart": "scheme netloc path query fragment hostname".split(),
    "query": ["''", "'a=1'", "'a=1&a=2&b=3'", "'a'", "'a='", "'=1'", "'a=1;b=2'", "'a=%20b+c'", "'&&a=1&'", "'a=b=c'", "'é=ü'", "'%C3%A9=%ff'", "'a=1&b'"],
    "shell": ["''", "'a b c'", "'a \"b c\" d'", "\"a 'b c' d\"", "'a\\\\ b'", "'\"a'", "\"'a\"", "'a\\\\'", "'a # b'", "'a#b'", "'\"a\\\\\"b\"'", "'--x=\"y z\" -w'", "'  '", "\"''\"", "'\"\"a'", "'a\\nb'", "'é ü'", "'\"\\\\$x\"'", "'$(x) `y`'", "'\"\\\\a\"'", "\"a'b'c\"", "'#'", "None", "'a;b|c>d'"],
}
