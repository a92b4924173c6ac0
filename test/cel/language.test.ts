import { describe, expect, it } from 'vitest';
import { CutOff, Failure } from '../../src/cel/failure.js';
import { leastCpuMs } from '../helpers/cpu.js';
import { valueOf } from './helpers.js';

describe('an expression', () => {
  it.each<[string, unknown]>([
    // Literals.
    ['1', 1n],
    ['-0x1F', -31n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['18446744073709551615u', 'uint 18446744073709551615'],
    ['0xFFu', 'uint 255'],
    ['1.5e3', 1500],
    ['-.5', -0.5],
    ["\"\\u00e9\" + r\"\\n\" + '''a\nb'''", 'é\\na\nb'],
    ['b"a\\xff\\303é"', '61ffc3c3a9'],
    ['bytes("é")', 'c3a9'],
    ['string(b"\\303\\251")', 'é'],
    ['null', null],
    ['[1, 2,]', [1n, 2n]],
    ['{"a": 1, "b": [true]}', { a: 1n, b: [true] }],
    ['1 // one\n + 1', 2n],
    // Operators.
    ['1 + 2 * 3 - 4 / 2 % 2', 7n],
    ['-7 / 2', -3n],
    ['-7 % 3', -1n],
    ['7.0 / 2.0', 3.5],
    ['1.0 / 0.0', Infinity],
    ['-(1 + 2)', -3n],
    ['5u - 3u', 'uint 2'],
    ['"a" + "b" + string(1)', 'ab1'],
    ['[1] + [2]', [1n, 2n]],
    ['1 < 2 && 2.5 >= 2.5 && 1 < 1.5 && 2u > 1', true],
    ['9007199254740993 > 9007199254740992.0', true],
    ['"a" < "b" && "\\uffff" < "\\U0001F600"', true],
    ['1 == 1 && 1.0 == 1.0 && "a" != "b"', true],
    ['dyn(1) == dyn(1.0) && dyn(1) == dyn(1u)', true],
    ['dyn(1) == dyn("1")', false],
    ['[1, 2] == [1, 2] && {"a": [1]} == {"a": [1]} && [1] != [1, 2]', true],
    ['null == null', true],
    ['true ? 1 : 2', 1n],
    ['false ? 1 : true ? 2 : 3', 2n],
    ['!true || !!true', true],
    // A part that decides makes up for one that fails.
    ['1 / 0 > 0 || true', true],
    ['true || 1 / 0 > 0', true],
    ['1 / 0 > 0 && false', false],
    ['[1, 0].exists(x, 1 / x > 0)', true],
    ['[0, 1].exists(x, 1 / x > 0)', true],
    ['[0, 1].all(x, 1 / x > 2)', false],
    // Macros.
    ['[1, 2, 3].all(x, x > 0)', true],
    ['[1, 2, 3].exists(x, x > 2)', true],
    ['[1, 2, 3].exists_one(x, x > 1)', false],
    ['[1, 2, 3].map(x, x * 2)', [2n, 4n, 6n]],
    ['[1, 2, 3].map(x, x > 1, x * 2)', [4n, 6n]],
    ['[1, 2, 3].filter(x, x % 2 == 1)', [1n, 3n]],
    ['[[1], [2, 3]].map(x, x.map(y, y + size(x)))', [[2n], [4n, 5n]]],
    ['{"a": 1, "b": 2}.all(k, k.size() == 1)', true],
    ['{"a": 1, "b": 2}.map(k, k)', ['a', 'b']],
    ['[1].all(x, [2].all(x, x == 2) && x == 1)', true],
    ['has({"a": 1}.a) && !has({"a": 1}.b)', true],
    // Items.
    ['[1, 2][1]', 2n],
    ['[1, 2][1u]', 2n],
    ['{"a": {"b": 1}}.a["b"]', 1n],
    ['{1: "a"}[1]', 'a'],
    ['2 in [1, 2] && !("c" in {"a": 1}) && "a" in {"a": 1}', true],
    // Conversions.
    ['int("-12") + int(3.9) + int(-3.9) + int(2u)', -10n],
    ['double("1.5") + double(1)', 2.5],
    ['uint(3) + uint("4")', 'uint 7'],
    ['string(1.5) + string(1e6) + string(0.00001) + string(true)', '1.51e+061e-05true'],
    ['bool("true") && !bool("0")', true],
    ['type(1) == int && type("a") == string && type([]) == list && type(1.0) != int', true],
    ['type(null) == null_type && type(type(1)) == type(type("a"))', true],
    // Texts.
    ['size("é😀") + "é😀".size() + size([1]) + size({}) + size(b"\\xff")', 6n],
    ['"hello".contains("ell") && "hello".startsWith("he") && "hello".endsWith("lo")', true],
    ['"hello".matches("^h.*o$") && matches("abc", "b") && !"abc".matches("^b")', true],
    ['"ABC".matches("(?i)abc")', true],
    ['"tacocat".charAt(3) + "tacocat".charAt(7)', 'o'],
    ['"hello mellow".indexOf("ello")', 1n],
    ['"hello mellow".indexOf("ello", 2)', 7n],
    ['"hello mellow".indexOf("jello")', -1n],
    ['"hello mellow".lastIndexOf("ello")', 7n],
    ['"hello mellow".lastIndexOf("ello", 6)', 1n],
    ['"😀a".indexOf("a")', 1n],
    ['"TacoCÆt".lowerAscii() + "TacoCÆt".upperAscii()', 'tacocÆtTACOCÆT'],
    ['"hello hello".replace("he", "we") + "hello hello".replace("he", "we", 1)', 'wello wellowello hello'],
    ['"ab".replace("", "-")', '-a-b-'],
    ['"hello hello hello".split(" ")', ['hello', 'hello', 'hello']],
    ['"hello hello hello".split(" ", 2)', ['hello', 'hello hello']],
    ['"hello".split(" ", 0)', []],
    ['"abc".split("")', ['a', 'b', 'c']],
    ['"-abcabcabcabcabcabcabc+abcabcabcabcabcabcabc-".split("abcabcabcabcabcabc")', ['-', 'abc+', 'abc-']],
    ['"x abababababababababab".lastIndexOf("ababababababababab")', 4n],
    ['"x abababababababababab".indexOf("ababababababababab", 3)', 4n],
    ['"x aaaaaaaaaaaaaaaaaaab".contains("aaaaaaaaaaaaaaaaab")', true],
    ['"tacocat".substring(4) + "tacocat".substring(0, 4)', 'cattaco'],
    ['" \\t\\ntrim\\u3000 ".trim()', 'trim'],
    ['["a", "b"].join() + ["a", "b"].join("-")', 'aba-b'],
    ['strings.quote("a\\"\\n")', '"a\\"\\n"'],
    [
      '"%s is %d of %.2f, %x %X %o %b %e %%".format(["a", 1, 2.0, 255, "hi", 8, 5, 1234.5])',
      'a is 1 of 2.00, ff 6869 10 101 1.234500e+03 %',
    ],
    ['"%s".format([[1, "a", {"k": true}]])', '[1, a, {k: true}]'],
    ['"abc 123".find("[0-9]+") + "abc".find("[0-9]+")', '123'],
    ['"a1b22".findAll("[0-9]+")', ['1', '22']],
    ['"a1b22c3".findAll("[0-9]+", 2)', ['1', '22']],
    // Lists.
    ['[1, 3, 2].sum() + [1, 3, 2].max() - [1, 3, 2].min()', 8n],
    ['[1.5, 1.0].sum()', 2.5],
    ['[duration("1m"), duration("30s")].sum()', 'duration 90s'],
    ['[].sum() == 0', true],
    ['[1, 1, 2].isSorted() && ![2, 1].isSorted() && ["a", "b"].isSorted()', true],
    ['[1, 2, 2].indexOf(2) + [1, 2, 2].lastIndexOf(2) + [1].indexOf(5)', 2n],
    [
      'sets.contains([1, 2], [2]) && sets.intersects([1], [1, 2]) && sets.equivalent([1, 1, 2], [2, 1])',
      true,
    ],
    // Times.
    ['timestamp("2026-01-31T08:00:00.5+01:00")', 'timestamp 2026-01-31T07:00:00.5Z'],
    ['timestamp("2026-01-31T08:00:00Z") + duration("1h30m")', 'timestamp 2026-01-31T09:30:00Z'],
    ['timestamp("2026-01-02T00:00:00Z") - timestamp("2026-01-01T00:00:00Z") == duration("24h")', true],
    ['timestamp("2026-01-31T23:30:00Z").getDate("+01:00")', 1n],
    ['timestamp("2026-07-31T23:30:00Z").getHours("Europe/Berlin")', 1n],
    ['timestamp("2026-03-01T00:00:00Z").getDayOfYear()', 59n],
    ['timestamp("2026-11-22T01:02:03.004Z").getDayOfWeek()', 0n],
    ['timestamp("2026-11-22T01:02:03.004Z").getMonth()', 10n],
    ['timestamp("2026-11-22T01:02:03.004Z").getMilliseconds()', 4n],
    ['int(timestamp("1969-12-31T23:59:59Z"))', -1n],
    ['duration("90m").getHours() + duration("90m").getMinutes()', 91n],
    ['string(duration("-1.5s")) + string(timestamp(0))', '-1.5s1970-01-01T00:00:00Z'],
    // Optionals.
    ['{"a": 1}.?a', { some: 1n }],
    ['{"a": 1}.?b.orValue(5)', 5n],
    ['{"a": {"b": 2}}.?a.b.value()', 2n],
    ['{"a": {"b": 2}}.?x.b.hasValue()', false],
    ['[1][?3]', 'none'],
    ['[1][?0]', { some: 1n }],
    ['optional.of(1).optMap(x, x + 1).value() + optional.none().orValue(3)', 5n],
    ['optional.ofNonZeroValue("").or(optional.of("a")).value()', 'a'],
    ['optional.of(3).optFlatMap(x, x > 2 ? optional.none() : optional.of(x))', 'none'],
    // URLs, addresses, quantities, formats.
    [
      'isURL("https://a.example:80/p?x=1&x=2") && isURL("/absolute") && !isURL("../relative") && !isURL("a b")',
      true,
    ],
    ...['a b', 'u:p%zz', 'u%2', 'a@b', 'ü', 'a|b', '[', '<u>', 'a\\\\b'].map((user): [string, unknown] => [
      `isURL("http://${user}@host/")`,
      false,
    ]),
    ...['', 'u', ':', 'u:p', 'u:p%7F:x', "a-._~!$&'()*+,;=0"].map((user): [string, unknown] => [
      `isURL("http://${user}@host/") && url("http://${user}@host/").getHost() == "host"`,
      true,
    ]),
    ['url("https://user@Example.com:8080/a%20b/c?x=1&x=2&y=3").getHost()', 'Example.com:8080'],
    ['url("https://user@example.com:8080/a b").getHostname()', 'example.com'],
    ['url("https://[::1]:80/").getHostname() + url("https://[::1]:80/").getPort()', '::180'],
    ['url("HTTPS://e.com/a b?x").getScheme() + url("https://e.com/a b").getEscapedPath()', 'https/a%20b'],
    ['url("https://e.com/?x=1&x=2&y=3").getQuery()', { x: ['1', '2'], y: ['3'] }],
    ['isIP("10.0.0.1") && isIP("::1") && !isIP("10.0.0.256") && !isIP("::ffff:1.2.3.4")', true],
    [
      'ip("fe80::1").isLinkLocalUnicast() && ip("127.0.0.1").isLoopback() && ip("8.8.8.8").isGlobalUnicast()',
      true,
    ],
    ['string(ip("64:ff9b::192.0.2.33"))', '64:ff9b::c000:221'],
    [
      'string(timestamp("2026-01-31T10:00:00Z")) + string(timestamp("2026-01-31T10:00:00.500Z"))',
      '2026-01-31T10:00:00Z2026-01-31T10:00:00.5Z',
    ],
    ['double("12") + double(".5") + double("1.e1")', 22.5],
    ['string(ip("2001:0db8:0:0:1:0:0:1")) + string(ip("1.2.3.4").family())', '2001:db8::1:0:0:14'],
    ['ip.isCanonical("2001:db8::1") && !ip.isCanonical("2001:0db8::1")', true],
    ['cidr("10.1.0.0/16").containsIP("10.1.2.3") && !cidr("10.1.0.0/16").containsIP(ip("10.2.0.1"))', true],
    [
      'cidr("10.0.0.0/8").containsCIDR("10.1.0.0/16") && !cidr("10.1.0.0/16").containsCIDR("10.0.0.0/8")',
      true,
    ],
    ['string(cidr("10.1.2.3/16").masked()) + string(cidr("10.1.2.3/16").prefixLength())', '10.1.0.0/1616'],
    ['isCIDR("::/0") && !isCIDR("10.0.0.0/33") && !isCIDR("10.0.0.0")', true],
    [
      'isQuantity("1.5Gi") && isQuantity("200m") && isQuantity("1e3") && !isQuantity("1.5 Gi") && !isQuantity("k")',
      true,
    ],
    ['quantity("1Ki").asInteger() + quantity("2k").asInteger()', 3024n],
    ['quantity("1.5G").isGreaterThan(quantity("1400M")) && quantity("1") == quantity("1000m")', true],
    ['quantity("50k").add(20).sub(quantity("20")).compareTo(quantity("50k"))', 0n],
    ['quantity("200m").asApproximateFloat() == 0.2 && !quantity("200m").isInteger()', true],
    ['format.named("dns1123Label").value().validate("my-label").hasValue()', false],
    ['format.dns1123Label().validate("My_Label").value().size()', 1n],
    ['format.named("nope").hasValue()', false],
    [
      '!format.date().validate("2026-02-28").hasValue() && format.date().validate("2026-02-30").hasValue()',
      true,
    ],
  ])('%s', (text, expected) => {
    expect(valueOf(text)).toEqual(expected);
  });

  it.each([
    ['9223372036854775807 + 1', 'does not fit into 64 bits'],
    ['-9223372036854775807 - 2', 'does not fit into 64 bits'],
    ['4611686018427387904 * 2', 'does not fit into 64 bits'],
    ['-(-9223372036854775807 - 1)', 'does not fit into 64 bits'],
    ['(-9223372036854775807 - 1) / -1', 'does not fit into 64 bits'],
    ['18446744073709551615u + 1u', 'does not fit into 64 bits'],
    ['1u - 2u', 'does not fit into 64 bits'],
    ['uint(-1)', 'does not fit into 64 bits'],
    ['int(18446744073709551615u)', 'does not fit into 64 bits'],
    ['int(1e30)', 'does not fit into 64 bits'],
    ['int("1.5")', 'not an integer'],
    ['int(0.0 / 0.0)', 'not an integer'],
    ['1 / 0', 'division by zero'],
    ['1 % 0', 'division by zero'],
    ['[1][1]', 'the item does not exist'],
    ['[1][-1]', 'the item does not exist'],
    ['{"a": 1}["b"]', 'the item does not exist'],
    ['{"a": 1}.b', 'there is no "b"'],
    ['{"a": 1, "a": 2}', 'occurs twice'],
    ['1 / 0 > 0 || false', 'division by zero'],
    ['[0, 1].all(x, 1 / x > 0)', 'division by zero'],
    ['dyn("a") + 1', '"+" does not take string, int'],
    ['dyn(1).contains("a")', 'does not take int, string'],
    ['dyn(null).size()', 'does not take null'],
    ['dyn(1) < dyn("a")', 'cannot compare'],
    ['dyn("a") && true', 'expected a bool'],
    ['timestamp("yesterday")', 'is not a timestamp'],
    ['duration("1y")', 'is not a duration'],
    ['timestamp("9999-12-31T23:59:59Z") + duration("1h")', 'outside the years'],
    ['timestamp("2026-01-01T00:00:00Z").getHours("Nowhere/Here")', 'not a time zone'],
    ['"abc".substring(2, 1)', 'out of range'],
    ['"abc".charAt(4)', 'out of range'],
    ['"a".matches("(" + "")', 'pattern is invalid'],
    ['"%d".format(["a"])', 'does not accept string'],
    ['"%s".format([])', 'fewer arguments'],
    ['"a".format([1])', 'more arguments'],
    ['string(b"\\xff")', 'not UTF-8 text'],
    ['[].max()', 'an empty list'],
    ['optional.none().value()', 'has no value'],
    ['url("nope")', 'is not a URL'],
  ])('%s has no value', (text, reason) => {
    expect(() => valueOf(text)).toThrow(Failure);
    expect(() => valueOf(text)).toThrow(reason);
  });
});

describe('an evaluation', () => {
  const numbers = Array.from({ length: 500 }, (_, i) => i);
  const long = 'a'.repeat(200_000);

  it.each<[string, unknown]>([
    ['self.all(x, self.all(y, self.all(z, x + y + z >= 0)))', numbers],
    ['self.map(x, self.map(y, self.map(z, [x, y, z]))).size() > 0', numbers],
    ['self.all(x, self.all(y, self.all(z, {"a": x}.b > 0 || true)))', numbers],
    ['self.filter(x, self == self.map(y, y)).size() > 0 && self.all(x, self == self.map(y, y))', numbers],
    ['self.all(x, x.matches("(a*)*(a*)*b") == false)', Array(500).fill(long.slice(0, 1000))],
    [
      '[self].map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).map(x, x + x).size() == 1',
      long,
    ],
    ['self.replace("", self).size() > 0', long],
    ['self.split("").join(self).size() > 0', long],
    ['self.split("").map(x, self.split("")).size() > 0', long],
    ['self.matches(self + "{1000}")', 'a'.repeat(1500)],
    ['self.all(x, timestamp(x).getHours("Europe/Berlin") >= 0)', Array(5000).fill(1)],
    ['self.contains("a".replace("a", self.substring(0, 50000)) + "b" + self.substring(0, 50000))', long],
    ['self.split(self.substring(0, 50000) + "b" + self.substring(0, 50000)).size() == 1', long],
    ['self.lastIndexOf(self.substring(0, 50000) + "b" + self.substring(0, 50000)) > 0', long],
    ['self.findAll("(?:a?){500}a{500}").size() > 0', long],
    ['self.all(x, "a".matches("(a{100}){10}" + string(x)))', numbers],
    [
      'self.all(k, self.size() > 0)',
      Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, 1])),
    ],
    [
      'self.all(k, self.all(j, true))',
      Object.fromEntries(Array.from({ length: 30_000 }, (_, i) => [`k${i}`, 1])),
    ],
    ['self.all(x, self[0] == self[1] || true)', [long, `${long.slice(1)}b`, ...numbers]],
    ['self.all(x, self.all(y, self[0] < self[1]))', [long, `${long}b`, ...numbers]],
    ['self.all(x, "%s".format([self]).size() > 0)', numbers],
  ])('of %s ends in time', (text, self) => {
    const run = (): void => {
      try {
        valueOf(text, self);
      } catch (error) {
        if (!(error instanceof CutOff || error instanceof Failure)) throw error;
      }
    };
    expect(leastCpuMs(run, { enough: 100 })).toBeLessThan(100);
  });

  it('is cut off, which no part of it can make up for', () => {
    const text = 'self.all(x, self.all(y, self.all(z, x + y + z >= 0))) || true';
    expect(() => valueOf(text, numbers)).toThrow(CutOff);
  });

  it('of 100 items by 100 items is not', () => {
    expect(valueOf('self.all(x, self.all(y, x + y >= 0))', numbers.slice(0, 100))).toBe(true);
  });

  it('matches in linear time', () => {
    const match = (length: number) => (): void =>
      void valueOf('self.matches("^(a|aa)+$b")', 'a'.repeat(length));
    const few = Math.max(1, leastCpuMs(match(4_000)));
    expect(leastCpuMs(match(20_000), { enough: 10 * few })).toBeLessThan(10 * few);
  });
});
