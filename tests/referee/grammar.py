"""What random programs are made of: for each type, literals at its boundaries and templates of expressions.

A template is Python source with holes: `$int` is an expression that should give an int, `$small` an int too small to make
anything large, `$any` anything, `$num` an int or a float. `$var` names nothing in scope here; see `generate.Generator`.
Templates need no brackets round their holes: the generator puts them where the filling is not atomic.
"""

import coding
import left_out
import library
import structures

LITERALS = {
    "int": """0 0 1 -1 2 3 5 7 10 -7 12 100 255 256 1000 65535 65536 1000000 2147483647 2147483648 -2147483648
        4294967296 9007199254740991 9007199254740992 9007199254740993 9223372036854775807 9223372036854775808
        -9223372036854775807 -9223372036854775808 -9223372036854775809 18446744073709551615 18446744073709551616
        100000000000000000000000 -340282366920938463463374607431768211456 0x7fff_ffff 0o17 0b1011 True False""".split(),
    "small": "0 1 2 3 4 5 6 7 8 9 10 11 12 -1 -2 -3 -4 True False".split(),
    "positive": "1 2 3 4 5 6 7 10 12".split(),
    "digits": "0 1 2 3 4 5 6 10 15 16 17 20 -1 -2 -3 -5 -20 22 23 300 308 309 324 -308 -309 -400 None".split(),
    "float": """0.0 -0.0 1.0 -1.0 0.1 0.2 0.3 0.5 1.5 2.5 -2.5 3.5 2.675 1.005 1e16 1e15 1e17 123456789012345680.0 1e22 1e23
        1e-4 1e-5 0.0001 0.00001 1e300 1e308 1.7976931348623157e308 5e-324 2.2250738585072014e-308 4503599627370496.5
        9007199254740992.0 9007199254740993.0 9223372036854775807.0 9223372036854774784.0 -9223372036854775808.0 1e100
        3.141592653589793 2.718281828459045 0.30000000000000004 100.0 1e-7 123.456 -123.456 99999.5 999999.5
        float('inf') float('-inf') float('nan') 1e999 7.0 10.0 12.5 0.1e-6""".split(),
    "bool": "True False".split(),
    "none": ["None"],
    "str": [
        "''", "''", "'a'", "'abc'", "'Hello World'", "'  pad  '", "'a,b,,c'", "'a b  c'", "'x=1;y=2'", "'123'", "'-12'",
        "' 42 '", "'1_000'", "'0x1f'", "'1e5'", "'1.5'", "'nan'", "'-inf'", "'Infinity'", "'.5'", "'1__0'", "'True'", "'é'",
        "'ß'", "'İ'", "'ı'", "'ǆ'", "'ﬁ'", "'Σας'", "'ΑΣ'", "'日本語'", "'\U0001f600'", "'a\U0001f600b'", "'\U0001d7d9\U0001d7da'",
        "'e\\u0301'", "'\\u00a0'", "'\\u2028'", "'\\ud7ff'", "'\\x00'", "'\\x1c'", "'\\x85'", "'\\x7f'", "'tab\\there'",
        "'line\\nbreak\\r\\nend'", "'\\r'", "'\\v\\f'", "\"it's\"", "'\"'", "'\\'\"'", "'\\\\'", "'½'", "'²'", "'٣'", "'Ⅷ'",
        "'{}'", "'{0}'", "'%s'", "'%'", "'a.b.c'", "'/a/b.txt'", "'toolshed.g2.bx.psu.edu/repos/iuc/fastp/fastp/0.20.1+galaxy0'",
        "'HELLO'", "'hello world, hello'", "'aaa'", "'ab' 'cd'", "'A1b2'", "'__x__'", "'if'", "'x y'", "'0'", "'00'", "'-0'", "'+5'",
        "'12345678901234567890'", "'\u200d'", "'\u0345'", "'ŉ'", "'ᾳ'", "'ΐ'",
    ],
    "char": ["'a'", "','", "' '", "'b'", "'.'", "'l'", "'\\n'", "'é'", "'\U0001f600'", "'='", "'_'"],
    "sep": ["','", "' '", "'.'", "'l'", "''", "'ab'", "', '", "'\\n'", "'='", "'/'", "'a'", "None"],
    "bytes": ["b''", "b'a'", "b'abc'", "b' x '", "b'\\x00\\xff'", "b'a,b'", "b'123'", "b'\\xc3\\xa9'", "b\"it's\"", "b'Hello World'",
              "b'\\n\\t\\\\'"],
    "list": ["[]", "[]", "[0]", "[None]", "[[]]", "[1, 2, 3]", "['a', 'b']", "[1, 'a', None, 2.5]", "[[1, 2], [3]]"],
    "intlist": ["[]", "[1]", "[3, 1, 2]", "[5, -1, 0, 5]", "[2**63, -2**63, 0]", "[True, 2, False]", "[10, 9, 8, 7, 6, 5, 4]"],
    "numlist": ["[]", "[1.5]", "[0.1, 0.2, 0.3]", "[1, 2.5, -3]", "[float('inf'), 1.0]", "[0.0, -0.0]", "[1e16, 1.0, -1e16]",
                "[2**53, 1.0, 3]", "[float('nan'), 1.0, 2.0]"],
    "strlist": ["[]", "['a']", "['b', 'a', 'C']", "['', 'x', '']", "['10', '9', '1']", "['é', 'e', 'z']", "['abc', 'ab', 'b']"],
    "tuple": ["()", "(1,)", "(1, 2)", "('a', 1)", "(1, 2, 3)", "((1, 2), 3)", "(None, True)", "(0.0, -0.0)"],
    "dict": ["{}", "{}", "{'a': 1}", "{'a': 1, 'b': 2}", "{1: 'x', 2: 'y'}", "{'k': [1, 2]}", "{None: 0, True: 1}", "{(1, 2): 'p'}",
             "{1.0: 'f', 2: 'i'}", "{'a': {'b': {'c': 3}}}"],
    "intdict": ["{}", "{'a': 1}", "{'b': 2, 'a': 1, 'c': 0}", "{'x': -1, 'y': 10}"],
    "set": ["set()", "{1}", "{1, 2, 3}", "{0, 5, 7}", "{2, 4}", "{True, 2}", "{1, 2, 3, 4, 5, 6, 7}"],
    "frozenset": ["frozenset()", "frozenset([1, 2])", "frozenset({3})"],
    "range": ["range(0)", "range(5)", "range(1, 4)", "range(10, 0, -3)", "range(-3, 3)", "range(0, 10, 3)", "range(5, 1)"],
    "longrange": ["range(10**6)", "range(0, 10**9, 7)", "range(10, -10**6, -3)", "range(2**40)"],
    "slice": ["slice(None)", "slice(1, None)", "slice(None, None, -1)", "slice(0, 10, 2)", "slice(-2, None)", "slice(5, 1, -1)"],
    "pattern": [
        r"r'a'", r"r'\d+'", r"r'(\w+)=(\d+)'", r"r'(?P<n>\w)(?P<m>.)?'", r"r'[a-c]+'", r"r'\s*'", r"r'(?i)HELLO'", r"r'^.*$'",
        r"r'\bb\b'", r"r'(a)|(b)'", r"r'(?<=a)b'", r"r'a(?!b)'", r"r'(.)\1'", r"r''", r"r'[^\w\s]'", r"r'l+?'", r"r'(?:x|y)*'", r"r'\.'",
        r"r'('", r"r'[a'", r"r'*a'", r"r'a{2,1}'", r"r'(?P<n>a)(?P<n>b)'", r"r'\W+'", r"r'.'", r"r'\Z'", r"r'(?m)^\w'", r"r'(?s).+'",
        r"r'(?x) a b # c'", r"r'(a+)(b*)'", r"r'\S+(?=\s)'", r"r'a{1,2}'", r"r'[]a]'", r"r'\d{2}'",
    ],
    "replacement": [r"r''", r"r'-'", r"r'\1'", r"r'[\g<0>]'", r"r'\2\1'", r"r'\g<n>'", r"r'\\'", r"r'\n'", r"r'\9'", r"r'\g<x>'",
                    "(lambda m: m.group(0).upper())", "(lambda m: str(m.span()))"],
    "intspec": ["''", "'d'", "'5'", "'05'", "'<5'", "'>8'", "'^9'", "'*^9'", "'+d'", "' d'", "'-'", "'x'", "'X'", "'#x'", "'#010x'", "'b'", "'#b'",
                "'o'", "'#o'", "','", "'_'", "',d'", "'_x'", "'e'", "'.3e'", "'f'", "'.2f'", "'g'", "'%'", "'.1%'", "'n'", "'c'", "'s'", "'.5'", "'=+8'",
                "'08,'", "'015,d'", "'\U0001f600>5'", "'<'", "'z'", "'10,.2f'", "',b'", "'20_b'", "'.'", "',_'", "'0<5'", "'x<05'", "'5d '", "'dd'",
                "'+,'", "'#,x'", "'=5'", "'G'", "'E'", "'F'", "'#d'", "'#g'", "'#.0f'", "'é^7'", "'100000000000000000000'", "'.99999999999999999999f'"],
    "floatspec": ["''", "'f'", "'.0f'", "'.1f'", "'.2f'", "'.10f'", "'e'", "'.0e'", "'.3e'", "'g'", "'.0g'", "'.1g'", "'.3g'", "'.17g'", "'G'", "'E'", "'F'",
                  "'%'", "'.0%'", "'.3%'", "','", "',.2f'", "'_'", "'+'", "' '", "'-'", "'8'", "'08.2f'", "'<8.1f'", "'^12.3e'", "'*>10'", "'=+10.1f'", "'#.0f'",
                  "'#g'", "'#.3g'", "'n'", "'.5'", "'.0'", "'.1'", "'.3'", "'.16'", "'.20'", "'z.0f'", "'z.1f'", "'+z.1f'", "'d'", "'s'", "'x'", "'010'", "'015,.1f'", "'.30f'", "'020,'",
                  "'+08_.1f'", "'.400f'", "'c'", "'b'", "',g'", "'_e'", "'#'", "'#e'", "'#%'"],
    "strspec": ["''", "'s'", "'5'", "'<5'", "'>5'", "'^5'", "'*^9'", "'.2'", "'.0'", "'6.2'", "'05'", "'=5'", "'d'", "'+'", "' '", "','", "'#'", "'\U0001f600<4'", "'_'", "'z'",
                "'-5'", "'é>6.1s'", "'<'", "'^'", "'x'", "'.'", "'.s'", "'ss'", "'0>4'", "'005'", "'<<3'", "'>>>3'", "'{<3'"],
    "percent": ["'%d'", "'%5d'", "'%-5d|'", "'%05d'", "'%+d'", "'% d'", "'%x'", "'%#x'", "'%X'", "'%o'", "'%#o'", "'%f'", "'%.2f'", "'%8.3f'", "'%-8.1f|'", "'%08.2f'", "'%e'",
                "'%.0e'", "'%g'", "'%.3g'", "'%#g'", "'%G'", "'%s'", "'%r'", "'%a'", "'%5s'", "'%-5s|'", "'%.2s'", "'%c'", "'%i'", "'%u'", "'%%'", "'%5%'", "'%'", "'%z'", "'%(a)s'",
                "'%(a)05.1f'", "'a%sb'", "'%5'", "'%.d'", "'%.3d'", "'%+.1e'", "'%#.0f'", "'%ld'", "'%s %s'", "'%*d'", "'%-+5d|'", "'%.3r'", "'%b'", "'%F'", "'%+x'", "'%#X'", "'%.0f'"],
    "template": ["'{}'", "'{0}'", "'{} {}'", "'{1} {0}'", "'{!r}'", "'{!s:>5}'", "'{!a}'", "'{:>5}'", "'{:.2f}'", "'{:05}'", "'{a}'", "'{0[0]}'", "'{0.real}'", "'{:{}}'", "'{0:{1}}'", "'{{}}'",
                 "'{'", "'}'", "'{0}{}'", "'{}{0}'", "'{!x}'", "'{!}'", "'{:'", "'{0!r:^10}'", "'{a[b]}'", "'{2}'", "'{-1}'", "'{ 0 }'", "'{0[a]}'", "'{:,}'", "'{:x}'", "'{.real}'", "'{[0]}'",
                 "'a{{b}}{}c'", "'{a.b}'", "'{!rr}'", "'{0!r'", "'{:}}'", "'{0[}'", "'{:{:{}}}'"],
    "strftime": ["'%Y-%m-%d'", "'%H:%M:%S'", "'%j %U %W %w'", "'%a %A %b %B'", "'%y %I %p'", "'%f'", "'%c'", "'%x %X'", "'%%'", "'%z %Z'", "'%d/%m'", "''"],
    "json": ["'{}'", "'[]'", "'[1, 2.5, null, true]'", "'{\"a\": {\"b\": [1]}}'", "'\"x\"'", "'1e5'", "'-0'", "'NaN'", "'Infinity'", "'['", "'{\"a\"}'", "''", "'01'", "'\"\\\\u00e9\"'",
             "' 1 '", "'1 2'", "'{\"a\": 1, \"a\": 2}'", "'nul'", "'[1,]'", "'\"\\\\x\"'", "'1.'", "'-'", "'\"a'", "'{\"a\": 1,}'", "'{1: 2}'", "'\"\\t\"'", "'12345678901234567890'", "'-1e400'"],
    "path": ["''", "'/'", "'a'", "'/a/b'", "'a/b.tar.gz'", "'/a//b/'", "'../x'", "'./.hidden'", "'/a/./b/../c'", "'a/'", "'//x'", "'///x'", "'.'", "'..'", "'/..'", "'a.b/c'", "'é/ü.txt'", "'...'", "'.a.b'"],
    "iso": ["'2024-01-31'", "'2023-12-31T23:59:59'", "'2024-02-29T12:30:45.123456'", "'2024-02-30'", "'x'", "'2024-01-31T10:00:00+02:00'", "'2024-W01-1'", "'20240131'", "'2024-01-31 10:00'", "''"],
    "exception": "ValueError TypeError KeyError IndexError ZeroDivisionError AttributeError RuntimeError Exception LookupError ArithmeticError OverflowError StopIteration OSError AssertionError".split(),
    "type": "int float str bool list tuple dict set bytes frozenset range type object".split(),
    "attribute": "real imag numerator denominator start stop step args __name__ __class__ nothing append upper keys".split(),
}

TEMPLATES = {
    "int": """
        $int + $int|$int - $int|$int * $int|$int // $int|$int % $int|-$int|+$int|~$int|$int & $int|$int | $int|$int ^ $int
        $int << $small|$int >> $small|$int ** $small|abs($int)|pow($int, $small)|pow($int, $positive, $int)|pow($small, $int, $int)
        pow($int, -1, $int)|int($num)|int($float)|int($str)|int($str, $small)|int($str, base=$small)|int($bool)|int($bytes)|round($float)
        round($int, $digits)|len($any)|len($str)|len($list)|len($dict)|len($set)|len($range)|len($longrange)|sum($intlist)|sum($intlist, $int)
        max($intlist)|min($intlist)|max($int, $int)|min($int, $int, $int)|max($intlist, default=$int)|min($intlist, key=$key, default=$any)
        ord($char)|ord($str)|$int.bit_length()|$int.real|$int.numerator|$int.denominator
        $str.find($sep)|$str.rfind($str)|$str.index($char)|$str.rindex($char)|$str.count($sep)|$str.find($char, $small)|$str.count($char, $small, $small)
        $str.find($str, $small, $small)|$list.index($any)|$list.count($any)|$tuple.index($any)|$tuple.count($any)|$intlist[$small]|$intlist[$int]
        $intlist.index($int, $small)|$intlist.index($int, $small, $small)|$range[$small]|$longrange[$int]|$range.index($small)|$range.count($int)
        $longrange.count($num)|$range.start|$longrange.stop|$bytes[$small]|int.from_bytes($bytes, 'big')
        int.from_bytes($bytes, 'little', signed=True)|$intdict.get($str, $int)|$intdict[$str]|hash($num)|hash($int)|hash($float)|divmod($int, $int)[0]
        math.floor($num)|math.ceil($float)|math.trunc($float)|math.gcd($int, $int)|math.lcm($int, $int)|math.isqrt($int)|math.comb($small, $small)
        math.perm($small, $small)|math.factorial($small)|math.prod($intlist)|math.gcd()|math.gcd($small)|math.prod($intlist, start=$int)|math.perm($small)
        $int if $bool else $int|$int and $int|$int or $int|next(iter($intlist))|next(iter($list), $int)|functools.reduce($fn2, $intlist)
        functools.reduce($fn2, $intlist, $int)|operator.add($int, $int)|operator.index($int)|operator.floordiv($int, $int)|operator.mod($int, $int)
        random.randint($small, $small)|random.randrange($int)|random.randrange($small, $small, $small)|random.choice($intlist)|random.getrandbits($positive)
        statistics.median_low($intlist)|statistics.mode($intlist)|int($str or $small)|[*$intlist].pop()|(lambda x, y=$int: x + y)($int)
        sum(x for x in $intlist if x)|sum(1 for _ in $iterable)|len({*$intlist})|$date.toordinal()|$date.weekday()|$datetime.hour|$date.isoweekday()|$delta.days|$delta // $delta|$delta.seconds
        collections.Counter($str)[$char]|collections.Counter($str).total()|int(bool($any))|$match.start()|$match.end()
        (n := $int) + n|int(math.log2($int))|int($int, $small)|-$bool|$bool + $bool
    """,
    "small": "",
    "positive": "",
    "digits": "",
    "float": """
        $num + $float|$float - $num|$float * $num|$num / $num|$int / $int|$float // $num|$float % $num|-$float|+$float|abs($float)|$float ** $small
        $num ** $float|pow($float, $small)|pow($small, $float)|float($int)|float($str)|float($num)|float($bool)|float()|round($float, $digits)|round($num, $small)|sum($numlist)
        sum($numlist, $float)|max($numlist)|min($numlist)|math.sqrt($num)|math.fsum($numlist)|math.fmod($num, $num)|math.copysign($num, $num)|math.fabs($num)
        math.log($num)|math.log($num, $num)|math.log2($num)|math.log10($num)|math.exp($small)|math.pow($num, $small)|math.hypot($num, $num)|math.degrees($float)
        math.radians($num)|math.inf|-math.inf|math.nan|math.pi|math.e|math.tau|math.ldexp($float, $small)|math.frexp($float)[0]|math.modf($float)[1]
        math.nextafter($float, $float)|math.ulp($float)|math.remainder($num, $num)|math.dist($tuplenum, $tuplenum)|math.expm1($small)|math.log1p($num)|math.cbrt($num)
        math.atan2($small, $small)|math.floor($float) / $num|$float.real|$float.imag
        $float if $bool else $num|$float or $float|divmod($float, $num)[1]|random.random()|random.uniform($num, $num)
        random.gauss(0, 1)|random.triangular($small, $small)|random.expovariate($positive)|statistics.mean($numlist)|statistics.median($numlist)|statistics.fmean($numlist)
        statistics.stdev($numlist)|statistics.pstdev($intlist)|statistics.variance($numlist)
        operator.truediv($num, $num)|operator.neg($float)|functools.reduce($fn2, $numlist)|$delta.total_seconds()|$delta / $delta|random.betavariate($positive, $positive)|random.normalvariate($num, $positive)
    """,
    "num": "$int|$float|$int|$float|$bool|abs($num)|-$num|max($num, $num)|min($numlist)|sum($numlist)|$num + $num|$num * $num|$num - $num|$num % $num|$num // $num",
    "bool": """
        $any == $any|$any != $any|$num < $num|$num <= $num|$num > $num|$num >= $num|$int == $float|$str < $str|$str == $str|$str >= $str|$list < $list|$tuple <= $tuple
        $set < $set|$set <= $set|$set >= $frozenset|$dict == $dict|$any in $list|$int in $range|$num in $longrange|$str in $str|$any in $dict|$int in $set|$any not in $tuple
        $any is None|$any is not None|not $any|bool($any)|all($iterable)|any($iterable)|$bool and $bool|$bool or $bool|isinstance($any, $type)|isinstance($any, (int, str))
        issubclass($type, $type)|callable($any)|hasattr($any, 'upper')|$num < $num < $num|$int <= $any <= $int|$str.startswith($str)|$str.endswith($char)|$str.startswith(($char, $str))
        $str.startswith($char, $small)|$str.endswith($str, $small, $small)|$str.isdigit()|$str.isalpha()|$str.isalnum()|$str.isupper()|$str.islower()|$str.isspace()|$str.istitle()
        $str.isidentifier()|$str.isdecimal()|$str.isnumeric()|$str.isprintable()|$str.isascii()|$float.is_integer()|math.isnan($num)|math.isinf($num)|math.isfinite($num)
        math.isclose($num, $num)|math.isclose($num, $num, rel_tol=$float)|math.isclose($num, $num, abs_tol=$num)|$set.isdisjoint($intlist)|$set.issubset($iterable)|$set.issuperset($intlist)
        any(x in $str for x in $strlist)|all(x > $int for x in $intlist)|operator.eq($any, $any)|operator.lt($num, $num)|operator.contains($list, $any)|operator.not_($any)
        $bytes == $bytes|$int in $bytes|$date < $date|$delta > $delta|bool(re.match($pattern, $str))|bool(re.search($pattern, $str))|$bool ^ $bool|$bool & $bool|$bool == $int
        fnmatch.fnmatch($str, $str)|fnmatch.fnmatchcase($str, '*a*')|os.path.isabs($path)|$float == $float != $float|$list == $tuple|$range == $range|$any is $any if False else $bool
        $match is None|$delta == $delta|$datetime <= $datetime|$dict.keys() == $set|$frozenset == $set|type($any) is $type|$type == $type|str($any) == repr($any)
    """,
    "str": """
        $str + $str|$str * $small|$small * $str|$str[$small]|$str[$int]|$str[$small:]|$str[:$small]|$str[$small:$small]|$str[::$small]|$str[$slice]|$str[$int:$int:$small]|str($any)|repr($any)|ascii($any)
        repr($str)|ascii($str)|str($num)|repr($float)|repr($float)|str($bytes, 'utf-8')|str($bytes, 'ascii', 'replace')|chr($small)|chr($int)|chr(ord($char) + $small)|hex($int)|oct($int)|bin($int)
        format($int, $intspec)|format($float, $floatspec)|format($str, $strspec)|format($any, $strspec)|format($num, $floatspec)|format($bool, $intspec)|$percent % $any|$percent % ($num,)|$percent % $num
        $percent % $int|$percent % $float|$percent % $str|$percent % {'a': $any}|'%s-%s' % ($any, $any)|'%*.*f' % ($small, $small, $num)|$template.format($any)|$template.format($any, $any)
        $template.format($num, $small, a=$any)|$template.format(*$list, **$intdict)|$template.format_map($dict)|$str.upper()|$str.lower()|$str.title()|$str.capitalize()|$str.swapcase()|$str.casefold()
        $str.strip()|$str.lstrip()|$str.rstrip()|$str.strip($str)|$str.lstrip($char)|$str.rstrip($sep)|$str.replace($str, $str)|$str.replace($char, $str, $small)|$str.replace('', $char)|$sep.join($strlist)
        $str.join($str)|$str.join($list)|$char.join($str)|$str.center($small, $char)|$str.ljust($small)|$str.rjust($small, $char)|$str.zfill($small)|$str.center($small)|$str.ljust($small, $str)|$str.expandtabs($small)|$str.expandtabs()
        $str.removeprefix($str)|$str.removesuffix($char)|$str.translate({97: 'X', 98: None})|$str.translate(str.maketrans($str, $str))|$str.translate(str.maketrans('ab', 'xy', $char))|$bytes.decode()|$bytes.decode('latin-1')
        $bytes.decode('utf-8', 'ignore')|$bytes.hex()|$bytes.hex($char)|$strlist[$small]|max($str)|min($str, default=$char)|max($strlist, key=len)|''.join(sorted($str))|''.join(reversed($str))|$str if $bool else $str
        $str or $str|$str and $str|json.dumps($any)|json.dumps($any, sort_keys=True)|json.dumps($any, indent=$small)|json.dumps($dict, separators=(',', ':'))|json.dumps($str, ensure_ascii=False)|json.dumps($any, default=str)
        type($any).__name__|re.sub($pattern, $replacement, $str)|re.sub($pattern, $replacement, $str, $small)|re.escape($str)|$match.group()|$match.group($small)|$match[$small]|$match.expand($replacement)
        os.path.join($path, $path)|os.path.basename($path)|os.path.dirname($path)|os.path.normpath($path)|os.path.splitext($path)[1]|os.path.commonprefix($strlist)|$date.isoformat()|$datetime.isoformat()|$datetime.isoformat($char)|$datetime.isoformat(timespec='minutes')
        $datetime.strftime($strftime)|$date.strftime($strftime)|str($date)|str($datetime)|str($delta)|repr($delta)|repr($datetime)|random.choice($str)|''.join(random.choices($str, k=$small))|''.join(random.sample($str, $small))
        string.capwords($str)|string.ascii_lowercase[$small]|string.digits|textwrap.indent($str, $char)|textwrap.dedent($str)
        hashlib.md5($bytes).hexdigest()|hashlib.sha256($str.encode()).hexdigest()|base64.b64encode($bytes).decode()|''.join(c for c in $str if c.isalnum())|$str.partition($char)[$small]|' '.join($str.split())|str(object=$any)
        f'{$any}'|f'{$any!r}'|f'{$num:.2f}'|f'{$str:>{$small}}'|f'{$int:{$intspec}}'|f'a{$any}b{$any!s}'|f'{$float:{$floatspec}}'|f'{$str!r:^{$positive}}'|f'{$str!a}'|f'{$int=}'|'{}{}'.format(*$str)|str.upper($str)|str.join($char, $strlist)|operator.add($str, $str)
        str($exc)|repr($exc)|$str.encode($enc).decode($enc)|'%(a)s' % $dict|statistics.mode($str)|repr($counter)|repr($deque)|repr($defaultdict)|$str.__class__.__name__|$any.__class__.__name__|sorted($strlist)[$small]|$str.format()|copy.copy($str)|next(iter($str))|list($str)[$small]
        (lambda s, *a, k=$str: s + k)($str)|[c for c in $str][$small]|functools.reduce(lambda a, b: a + b, $strlist)|'\\n'.join($str.splitlines())|$dict.get($any, $str)
    """,
    "char": "",
    "sep": "",
    "enc": "",
    "bytes": """
        $str.encode()|$str.encode('latin-1')|$str.encode('ascii', 'replace')|$str.encode('ascii', 'xmlcharrefreplace')|$str.encode('ascii', 'backslashreplace')|bytes($intlist)|bytes($small)|bytes()|$bytes + $bytes|$bytes * $small|$bytes[$small:]|$bytes[::-1]
        bytes.fromhex($str)|$int.to_bytes($positive, 'big')|$int.to_bytes($positive, 'little', signed=True)|bytes($str, 'utf-8')|base64.b64decode($str)|base64.b64encode($bytes)|$bytes[$slice]|bytes(reversed($bytes))
        bytes($any)|bytes($str)|hashlib.sha1($bytes).digest()|$str.encode($enc)
    """,
    "list": """
        list($iterable)|list($any)|[$any, $any]|[$any for x in $intlist]|[*$iterable]|[*$iterable, $any]|$list + $list|$list * $small|$list[$small:]|$list[::$small]|$list[$small:$small]|$list[$slice]|$list[:]|sorted($iterable)|sorted($iterable, reverse=True)|sorted($iterable, key=$key)|sorted($list, key=str)
        sorted($any)|sorted($iterable, key=repr)|sorted($iterable, key=$key, reverse=$bool)|$str.split()|$str.split($sep)|$str.split($sep, $small)|$str.rsplit($sep, $small)|$str.rsplit()|$str.splitlines()|$str.splitlines(True)|list($str)|list($dict)|list($dict.items())|list($dict.values())|list($dict.keys())|list(map($key, $iterable))
        list(map($fn2, $intlist, $iterable))|list(filter($key, $iterable))|list(filter(None, $list))|list(zip($iterable, $iterable))|list(zip($iterable, $iterable, strict=True))|list(enumerate($iterable))|list(enumerate($iterable, $int))|list(reversed($list))|list(reversed($range))|list(reversed($any))|[x for x in $iterable]
        [x for x in $iterable if x]|[(x, y) for x in $intlist for y in $iterable]|[x * 2 for x in $iterable]|[[y for y in $intlist] for x in $range]|list(x for x in $iterable if $bool)|list(itertools.chain($iterable, $iterable))|list(itertools.islice($iterable, $small))|list(itertools.islice($iterable, $small, $small, $positive))
        list(itertools.accumulate($intlist))|list(itertools.accumulate($intlist, $fn2))|list(itertools.accumulate($numlist, initial=$num))|list(itertools.combinations($intlist, 2))|list(itertools.permutations($intlist[:3]))|list(itertools.product($intlist, $str))|list(itertools.product($str, repeat=2))[:9]|list(itertools.groupby($str))[:0]
        [(k, list(g)) for k, g in itertools.groupby($iterable)]|[(k, len(list(g))) for k, g in itertools.groupby($iterable, key=$key)]|list(itertools.takewhile($key, $iterable))|list(itertools.dropwhile($key, $iterable))|list(itertools.zip_longest($iterable, $iterable, fillvalue=$any))|list(itertools.pairwise($iterable))
        list(itertools.compress($iterable, $iterable))|list(itertools.repeat($any, $positive))|list(itertools.starmap($fn2, zip($intlist, $intlist)))|list(itertools.filterfalse($key, $iterable))|list(itertools.islice(itertools.count($num, $num), 4))|list(itertools.islice(itertools.cycle($iterable), 5))|list(itertools.combinations_with_replacement($intlist[:3], 2))
        list(itertools.chain.from_iterable([$iterable, $iterable]))|re.findall($pattern, $str)|re.split($pattern, $str)|re.split($pattern, $str, $small)|[m.span() for m in re.finditer($pattern, $str)]|[m.groups() for m in re.finditer($pattern, $str)]|json.loads($json)|random.sample($intlist, $small)|random.choices($intlist, k=$small)
        random.choices($intlist, weights=$intlist, k=2)|collections.Counter($iterable).most_common()|collections.Counter($str).most_common($small)|list($deque)|list(collections.Counter($str).elements())|$list if $bool else $list|$list or $list|copy.deepcopy($list)|copy.copy($list)|$list.copy()|statistics.multimode($iterable)
        list($longrange[$small:$small])[:3]|list(map(str, $iterable))|list(map(int, $strlist))|list($bytes)|$str.split(sep=$sep, maxsplit=$small)|[x if x else None for x in $iterable]|[i for i, x in enumerate($iterable) if x]|[a for a, *b in $dict.items()]|[*$list, *$tuple]|list(dict.fromkeys($iterable))
        [a + b for a, b in zip($intlist, $intlist)]|[a for a, b in $iterable]|[(y := x, y) for x in $intlist]|list(sorted($dict.items(), key=lambda kv: kv[1]))|list(range(*$intlist[:3]))[:5] if False else $list|sorted($iterable, key=functools.cmp_to_key(lambda a, b: (a > b) - (a < b)))|fnmatch.filter($strlist, $str)|list(os.path.split($path))|list(map(operator.itemgetter($small), $iterable))
    """,
    "intlist": "[$int, $int]|[$int]|$intlist + $intlist|sorted($intlist)|$intlist[::-1]|[x for x in $intlist]|[x * 2 for x in $intlist]|[x % 3 for x in $intlist]|list($range)|list($set)|[len(x) for x in $strlist]|list(map(len, $strlist))|$intlist[$small:]|list(range($small))|list(range($small, $small))|list(range($small, $small, $small))|[ord(c) for c in $str]|list($intdict.values())|[*$intlist, $int]|[-x for x in $intlist]",
    "numlist": "[$num, $num]|[$float, $num, $num]|sorted($numlist)|[x / 2 for x in $numlist]|[float(x) for x in $intlist]|[x ** 2 for x in $numlist]|[round(x, 1) for x in $numlist]|$intlist",
    "strlist": "[$str, $str]|[$str]|$str.split()|$str.split(',')|[str(x) for x in $iterable]|[x.upper() for x in $strlist]|sorted($strlist)|list($str)|[repr(x) for x in $list]|list($intdict)|sorted($strlist, key=str.lower)|sorted($strlist, key=len, reverse=True)",
    "tuple": "($any,)|($any, $any)|tuple($iterable)|$tuple + $tuple|$tuple * $small|$tuple[$small:]|$tuple[::-1]|tuple($str)|divmod($num, $num)|$str.partition($sep)|$str.rpartition($char)|tuple(sorted($iterable))|math.frexp($num)|math.modf($num)|os.path.split($path)|os.path.splitext($path)|(*$iterable, $any)|$match.groups()|$match.span()|$match.span($small)|$match.groups($any)|$match.group(1, 2)|tuple(x for x in $iterable)|$exc.args|$date.isocalendar()[:]|divmod($delta, $delta)|operator.itemgetter($small, $small)($list)|$namedtuple|tuple($namedtuple)|$any, $any|max(zip($intlist, $intlist), default=())|tuple($any)",
    "tuplenum": "($num, $num)|($int,)|($float, $int)|tuple($numlist)",
    "dict": "{$key_value: $any}|{$key_value: $any, $key_value: $any}|dict($dict)|dict(zip($strlist, $iterable))|{**$dict, **$dict}|$dict | $dict|{x: $any for x in $intlist}|{k: v for k, v in $dict.items()}|{v: k for k, v in $intdict.items()}|dict.fromkeys($strlist)|dict.fromkeys($iterable, $any)|dict(a=$any, b=$any)|dict($any)|$dict.copy()|json.loads($json)|dict(sorted($dict.items()))|dict($dict, z=$any)|collections.OrderedDict($dict)|$counter|dict($counter)|$counter + $counter|$counter - $counter|$counter & $counter|$counter | $counter|$defaultdict|$match.groupdict()|$namedtuple._asdict()|copy.deepcopy($dict)|dict([$tuple, $tuple])|dict(enumerate($str))|{i: c for i, c in enumerate($str)}|{k: v for k, v in zip($iterable, $iterable)}|str.maketrans($str, $str)|str.maketrans($dict)",
    "intdict": "{$str: $int}|{k: len(k) for k in $strlist}|dict(zip($strlist, $intlist))|dict.fromkeys($strlist, $int)|{**$intdict, 'q': $int}|dict(collections.Counter($str))",
    "set": "set($range)|{$small, $small}|$set | $set|$set & $set|$set - $set|$set ^ $set|set($range) - {$small}|$set.union($range)|$set.intersection($intlist)|$set.difference($range)|$set.symmetric_difference($set)|{x % 5 for x in $intlist}|{x for x in $range if x % 2}|$set.copy()|set($set)|{*$range}|set($small)|$set.union($any)|$set.intersection($set, $range)",
    "frozenset": "frozenset($range)|$frozenset | $set|frozenset($set)|$frozenset & $frozenset|$frozenset - $set|frozenset()|frozenset({$small})",
    "range": "range($small)|range($small, $small)|range($small, $small, $small)|$range[$small:]|$range[::-1]|$range[::$small]|range(len($str))|range($any)|range(0, $small, $positive)",
    "longrange": "range($small, 10**15, $positive)|$longrange[$small:]|$longrange[::-1]|$longrange[$slice]",
    "slice": "slice($small)|slice($small, $small)|slice($any, $any, $any)|slice(None, $int)|slice($int, $int, $small)",
    "iterable": "$list|$intlist|$strlist|$tuple|$str|$dict|$range|$set|$numlist|$bytes|iter($list)|(x for x in $intlist)|map($key, $intlist)|zip($intlist, $str)|enumerate($strlist)|reversed($list)|$dict.items()|$dict.values()|filter(None, $list)|$any|$deque|$strlist|$intlist",
    "none": "$list.append($any)|$list.sort()|$dict.get($any)|$list.reverse()|print()|$set.add($small)|$list.extend($iterable)|$dict.update($dict)|random.seed($int)|$list.clear()|random.shuffle($intlist)|$none or $none",
    "any": "$int|$float|$str|$bool|$none|$list|$tuple|$dict|$set|$bytes|$range|$int|$float|$str|$intlist|$numlist|$strlist|$frozenset|$slice|$type|$list[$small]|$tuple[$small]|$dict[$any]|$dict.get($any, $any)|$list.pop()|$list.pop($small)|$dict.pop($any, $any)|$dict.pop($any)|$dict.popitem()|$dict.setdefault($any, $any)|$set.pop()|$any or $any|$any and $any|$any if $any else $any|max($iterable)|min($iterable)|max($any, $any)|sum($any)|sum($list, $any)|$any + $any|$any * $small|$any - $any|$any / $any|$any % $any|$any | $any|$any & $any|$any[$any]|$any[$small]|-$any|next(iter($iterable))|next($any)|getattr($any, '$attribute')|getattr($any, '$attribute', $any)|$any.$attribute|round($any)|round($any, $digits)|abs($any)|int($any)|float($any)|copy.deepcopy($any)|json.loads(json.dumps($any))|json.loads($json)|$any()|$key($any)|$fn2($any, $any)|functools.partial($fn2, $any)($any)|$date|$delta|$datetime|$exc|$counter|$deque|$defaultdict|$namedtuple|type($any)|random.choice($any)|functools.reduce($fn2, $iterable)|$iterable|(lambda *a, **k: (a, k))($any, *$list, **$intdict)|(lambda a, /, b, *, c=$any: [a, b, c])($any, b=$any)|[x for x in $any]|ast.literal_eval($literalsource)|operator.getitem($any, $any)|divmod($any, $any)|pow($any, $small)|$any ** $small|$any << $small|$any // $any|$any @ $any|~$any|+$any|$any ^ $any|$str % $any|type($exc)|$type($any)|$type()|$range",
    "key": "len|str|abs|repr|(lambda x: -x)|(lambda x: x)|(lambda x: str(x))|(lambda x: (len(str(x)), str(x)))|bool|int|float|type|None|(lambda x: x % 3)|(lambda x: $any)|str.lower|(lambda x: x[0])|operator.neg|ord|list|(lambda x: not x)|(lambda x: x is None)|operator.itemgetter(0)|operator.attrgetter('real')|(lambda x: x and x)|hex|(lambda x, y=$small: x * y)|functools.partial(max, $small)|'{}'.format|$str.find|operator.methodcaller('upper')",
    "fn2": "(lambda a, b: a + b)|max|min|(lambda a, b: a * 2)|operator.add|operator.mul if False else operator.sub|(lambda a, b: (a, b))|(lambda a, b: b)|divmod|operator.and_|(lambda a, b=$any: a)|isinstance|round|(lambda *a: a)|(lambda a: a)|operator.xor|(lambda a, b: a - b)|pow if False else min|str|int|range if False else max",
    "type": "type($any)|type(None)|collections.OrderedDict|collections.Counter|$type|datetime.date|ValueError",
    "match": "re.match($pattern, $str)|re.search($pattern, $str)|re.fullmatch($pattern, $str)|re.compile($pattern).search($str)|re.search($pattern, $str, re.I)|re.compile($pattern, re.I | re.M).match($str, $small)|re.match(r'(\\w)(\\w)?', $str)|re.match(r'(?P<n>.)', $str)",
    "exc": "ValueError($any)|KeyError($any)|ValueError($any, $any)|ValueError()|KeyError()|Exception($str)|OSError($small, $str)|IndexError($str)|StopIteration($any)|$exception($any)|$exception()|TypeError(*$list)|UnicodeDecodeError('utf-8', $bytes, 0, 1, 'why')|RuntimeError($exc)|OSError($small, $str, $str)",
    "date": "datetime.date(2024, 2, 29)|datetime.date(2023, 12, 31)|datetime.date(1, 1, 1)|datetime.date(9999, 12, 31)|datetime.date($small, $small, $small)|$date + $delta|$date - $delta|datetime.date.fromisoformat($iso)|datetime.date.fromordinal($positive)|$date.replace(day=$positive)|$datetime.date()|datetime.date(2024, $positive, $positive)|datetime.date(2000 + $small, $positive, $positive)",
    "datetime": "datetime.datetime(2024, 2, 29, 12, 30)|datetime.datetime(2023, 12, 31, 23, 59, 59, 999999)|datetime.datetime(1970, 1, 1)|datetime.datetime(2024, $positive, $positive, $small)|$datetime + $delta|$datetime - $delta|datetime.datetime.fromisoformat($iso)|datetime.datetime.strptime('2024-03-04', '%Y-%m-%d')|datetime.datetime.strptime($str, $strftime)|datetime.datetime(2024, 1, 1, tzinfo=datetime.timezone.utc)|datetime.datetime.combine($date, datetime.time($small, $small))|$datetime.replace(hour=$small)|datetime.datetime.utcfromtimestamp($num)",
    "delta": "datetime.timedelta(days=1)|datetime.timedelta($small)|datetime.timedelta(hours=$num)|datetime.timedelta(seconds=$num)|datetime.timedelta(days=$small, microseconds=$int)|$delta + $delta|$delta - $delta|$delta * $small|$delta / $positive|$delta // $positive|-$delta|abs($delta)|$date - $date|$datetime - $datetime|$delta % $delta|datetime.timedelta(minutes=$float)|datetime.timedelta()|$delta * $float|datetime.timedelta(weeks=$small)",
    "counter": "collections.Counter($str)|collections.Counter($intlist)|collections.Counter(a=$small)|collections.Counter($iterable)|+$counter|-$counter|collections.Counter($intdict)",
    "deque": "collections.deque($list)|collections.deque($iterable, maxlen=$small)|collections.deque()|collections.deque($intlist, $positive)",
    "defaultdict": "collections.defaultdict(int)|collections.defaultdict(list, $dict)|collections.defaultdict(None)|collections.defaultdict($type, a=$any)",
    "namedtuple": "collections.namedtuple('P', 'x y')($any, $any)|collections.namedtuple('P', ['a', 'b'], defaults=[$any])($any)|collections.namedtuple('P', 'x y')($any)|collections.namedtuple('P', 'x y')(1, 2)._replace(x=$any)|collections.namedtuple('P', $strlist)|collections.namedtuple('P', 'x,y', rename=True)(y=1, x=$any)",
    "key_value": "$str|$int|$tuple|$bool|$float|$none|$frozenset|$any|$str|$str",
}

SOURCES = {
    "smallsource": ["'1 + 1'", "'[x for x in (1, 2)]'", "'1 +'", "'len'", "''", "'nope'", "'\"a\" * 3'"],
    "literalsource": ["'[1, 2]'", "'{\"a\": (1, None)}'", "'1 + 1'", "'-5'", "'f()'", "''", "'\"x\"'", "'{1, 2}'", "'1e5'", "'b\"x\"'", "'x'"],
    "enc": ["'utf-8'", "'latin-1'", "'ascii'", "'UTF8'", "'nope'"],
}


def split(text):
    """The templates of a text: between bars that are no operator (those have spaces round them)."""
    for line in text.split("\n"):
        line = line.strip()
        start = 0
        for index, char in enumerate(line):
            spaced = 0 < index < len(line) - 1 and line[index - 1] == line[index + 1] == " "
            doubled = "||" in line[max(0, index - 1) : index + 2]
            if char == "|" and not spaced and not doubled:
                if line[start:index].strip():
                    yield line[start:index].strip()
                start = index + 1
        if line[start:].strip():
            yield line[start:].strip()


LIBRARY = (library, coding, structures, left_out)
LITERALS.update(SOURCES)
RULES = {kind: list(split(text)) for kind, text in TEMPLATES.items()}
RULES["library"] = []
for part in LIBRARY:
    LITERALS.update(part.LITERALS)
    for kind, text in part.TEMPLATES.items():
        RULES.setdefault(kind, []).extend(split(text))
        RULES["library"].extend(split(text))
for kind in ("small", "positive", "digits", "char", "sep", "enc"):
    RULES[kind] = []
# Kinds whose size the work of a program depends on, or that name things: never filled with anything else.
BOUNDED = {"small", "positive", "digits", "attribute", "exception", "smallsource", "range", "intspec", "floatspec", "strspec"}
BOUNDED.update(*(part.LITERALS for part in LIBRARY))
