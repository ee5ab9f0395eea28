package io.policyscheduler.engine.policy;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument;
import io.policyscheduler.engine.document.SourceDocument.DocumentException;
import io.policyscheduler.engine.policy.PolicyTables.TableInput;
import io.policyscheduler.engine.rules.data.RuleTables;
import io.policyscheduler.engine.rules.data.RuleTables.TableState;
import io.policyscheduler.engine.rules.data.RuleType;
import io.policyscheduler.engine.rules.data.TableDefinition;
import io.policyscheduler.engine.rules.data.TableDefinition.TableLimits;
import io.policyscheduler.engine.rules.data.TableDefinition.TableOrigin;
import io.policyscheduler.engine.rules.data.TableValues;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Declared tables, and texts with their values. */
class PolicyTablesTest {
    private static String result(String tables, TableInput input) throws DocumentException {
        TableDeclarations.Declarations found =
                TableDeclarations.of(SourceDocument.parse("tables: " + tables).root(), "p.yaml");
        List<Problem> problems = new ArrayList<>(found.problems());
        RuleTables read = PolicyTables.of(found.tables(), Map.of(), input, problems);
        if (!problems.isEmpty()) {
            return problems.get(0).line();
        }
        StringBuilder text = new StringBuilder();
        for (TableState state : read.get().states().values()) {
            text.append(state.schema().name()).append(' ').append(state.schema().fields());
            text.append(' ').append(state.values().rows());
            text.append(
                    state.values().defaults().isEmpty()
                            ? ""
                            : " else " + state.values().defaults());
        }
        return text.toString();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "{price: {values: {a: 1, b: 0.5}}} => price {=NUMBER} {a={=1.0}, b={=0.5}}",
                "{price: {values: {a: -0.0}}} => price {=NUMBER} {a={=0.0}}",
                "{team: {values: {a: x, 1: '2'}}} => team {=STRING} {a={=x}, 1={=2}}",
                "{gold: {values: {a: true}, default: false}} => gold {=BOOL} {a={=true}} else {=false}",
                "{mem: {type: number, values: {a: 1Ki, b: 2}}} => mem {=NUMBER} {a={=1024.0}, b={=2.0}}",
                "{host: {values: {a: {w: 1, o: x}, b: {w: 2}}}} => host {o=STRING, w=NUMBER} {a={w=1.0, o=x}, b={w=2.0}}",
                "{host: {values: {a: {w: 1, o: ~}}, default: {w: 0}}} => host {w=NUMBER} {a={w=1.0}} else {w=0.0}",
                "{price: {type: number, values: {}}} => price {=NUMBER} {}",
                "~ => ``",
                "3 => p.yaml:1:9: R030: table : tables is a number; write tables: {name: {...}}",
                "{a-b: {values: {a: 1}}} => p.yaml:1:15: R030: table a-b: no name for a table; a name has up to 63 letters,"
                        + " digits and _, starts with a letter, and is no word of the language",
                "{size: {values: {a: 1}}} => p.yaml:1:16: R030: table size: no name for a table; a name has up to 63"
                        + " letters, digits and _, starts with a letter, and is no word of the language",
                "{t: {}} => p.yaml:1:13: R030: table t: nothing gives its values; give one of values, file, configMap,"
                        + " prometheus, metricsApi",
                "{t: {values: {a: 1}, file: x.csv}} => p.yaml:1:13: R030: table t: values come from values and file;"
                        + " give one of values, file, configMap, prometheus, metricsApi",
                "{t: {valuse: {a: 1}}} => p.yaml:1:14: R030: table t: unknown field \"valuse\"; there are values, file,"
                        + " configMap, prometheus, metricsApi, type, fields, default, staleAfter, whenStale, plusPlaced (did you mean \"values\"?)",
                "{t: {values: {a: 1, b: x}}} => p.yaml:1:32: R030: table t: \"b\" is a string, before it is a number;"
                        + " give values of one type",
                "{t: {type: bool, values: {b: x}}} => p.yaml:1:38: R030: table t: \"b\" is a string, declared is a bool;"
                        + " give values of one type",
                "{t: {type: number, values: {b: x}}} => p.yaml:1:40: R030: table t: \"x\" of \"b\" is no number; write a"
                        + " number, or a quantity such as 512Mi",
                "{t: {values: {a: 1, b: {w: 1}}}} => p.yaml:1:36: R030: table t: \"b\" has a record, the others plain"
                        + " values; give the same form to all",
                "{t: {values: {a: {w: 1}, b: 1}}} => p.yaml:1:37: R030: table t: \"b\" has a plain value, the others"
                        + " records; give the same form to all",
                "{t: {fields: {w: number}, values: {a: {v: 1}}}} => p.yaml:1:51: R030: table t: \"a\" has a field \"v\" that"
                        + " is not declared; there are w",
                "{t: {values: {a: ~}}} => p.yaml:1:26: R030: table t: \"a\" is null; leave the key out where there is no"
                        + " value",
                "{t: {values: {a: [1]}}} => p.yaml:1:26: R030: table t: \"a\" is a list or an object; values are numbers,"
                        + " strings, bools or records of them",
                "{t: {values: {a: 1, a: 2}}} => p.yaml:1:29: R030: table t: the key \"a\" stands twice; leave one out",
                "{t: {values: {a: {w: 1, w: 2}}}} => p.yaml:1:33: R030: table t: field \"w\" of \"a\" stands twice; leave"
                        + " one out",
                "{t: {values: {a: {getClass: 1}}}} => p.yaml:1:27: R030: table t: \"getClass\" is no name; a name has up to"
                        + " 63 letters, digits and _, starts with a letter, and is no word of the language",
                "{t: {values: {}}} => p.yaml:1:22: R030: table t: there are no values, so that their type is unknown;"
                        + " type: number",
                "{t: {values: {a: 1}, default: x}} => p.yaml:1:39: R030: table t: \"default\" is a string, before it is a"
                        + " number; give values of one type",
                "{t: {values: {a: {w: 1}}, default: {v: 1}}} => p.yaml:1:45: R030: table t: the default has a field \"v\""
                        + " that the table does not have; there are w",
                "{t: {values: {a: 1}, default: {v: 1}}} => p.yaml:1:39: R030: table t: the default is a record, the values"
                        + " are plain; give the same form to both",
                "{t: {type: int, values: {}}} => p.yaml:1:20: R030: table t: the type \"int\"; there are number, string and"
                        + " bool",
                "{t: {file: x.csv, staleAfter: 5m}} => p.yaml:1:39: R030: table t: staleAfter with file; only values that"
                        + " are measured have an age; leave it out",
                "{t: {file: x.csv, whenStale: skip}} => p.yaml:1:38: R030: table t: whenStale with file; only values that"
                        + " are measured have an age; leave it out",
                "{t: {prometheus: {url: http://p:9090, query: up, label: node}}} => p.yaml:1:10: R030: table t: prometheus"
                        + " http://p:9090 is not read here; give its values: --table t=FILE",
                "{t: {prometheus: {url: http://p:9090, query: up, label: node}, staleAfter: soon}} => p.yaml:1:84: R030:"
                        + " table t: staleAfter: time: invalid duration \"soon\"; write a time such as 5m",
                "{t: {prometheus: {url: http://p:9090, query: up, label: node}, staleAfter: 10ms}} => p.yaml:1:84: R030:"
                        + " table t: staleAfter 10ms; write a time from 1s to 168h0m0s",
                "{t: {prometheus: {url: http://p:9090, query: up, label: node}, whenStale: ignore}} => p.yaml:1:83: R030:"
                        + " table t: whenStale \"ignore\"; write default, for missing values, or skip, to ignore rules without a value",
                "{t: {prometheus: {url: http://p:9090, query: up, label: node}, plusPlaced: cpu}} => p.yaml:1:84: R030:"
                        + " table t: plusPlaced \"cpu\"; there are requested.cpu, requested.memory, pods",
                "{t: {prometheus: {url: 'http://u:p@p:9090', query: up, label: node}}} => p.yaml:1:32: R030: table t:"
                        + " prometheus.url is no address of a server; write http://HOST:PORT or https://HOST:PORT, with a"
                        + " path before /api/v1 if there is one, without user and query",
                "{t: {prometheus: {url: http://p, label: node}}} => p.yaml:1:26: R030: table t: prometheus.query is missing"
                        + " or no text of up to 4096 characters; write an instant query such as sum by (node)"
                        + " (rate(cpu_seconds_total[2m]))",
                "{t: {prometheus: {url: http://p, query: up, label: node, interval: 10ms}}} => p.yaml:1:76: R030: table t:"
                        + " prometheus.interval 10ms; write a time from 1s to 1h0m0s",
                "{t: {prometheus: {url: http://p, query: up, label: node}, type: string}} => p.yaml:1:73: R030: table t: the"
                        + " values of prometheus http://p are numbers; omit type and fields",
                "{t: {metricsApi: pods}} => p.yaml:1:26: R030: table t: metricsApi is not about nodes; write metricsApi:"
                        + " nodes",
                "{t: {metricsApi: nodes, plusPlaced: {disk: pods}}} => p.yaml:1:46: R030: table t: unknown field \"disk\";"
                        + " there are cpu, memory",
                "{t: {file: x.csv}} => p.yaml:1:10: R030: table t: file x.csv is not read here; give its values: --table"
                        + " t=FILE",
                "{t: {configMap: {name: n, key: k}}} => p.yaml:1:25: R030: table t: configMap.namespace is missing or no"
                        + " text; name it",
            })
    void declarations(String tables, String expected) throws DocumentException {
        String result = result(tables, TableInput.NONE);
        assertEquals(expected, result);
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "file: v.csv | k,v\\na,1\\nb,2 => t {=NUMBER} {a={=1.0}, b={=2.0}}",
                "file: v.csv | k,v\\n\"a,b\",\"x \"\"y\"\"\" => t {=STRING} {a,b={=x \"y\"}}",
                "file: v.csv | k,w,o\\na,1,x\\nb,,y => t {o=STRING, w=NUMBER} {a={w=1.0, o=x}, b={o=y}}",
                "file: v.csv | k,v\\na,1\\nb,x => t {=STRING} {a={=1}, b={=x}}",
                "file: v.csv, type: number | k,v\\na,1\\nb,x => v.csv:3:1: R030: table t: \"x\" of \"b\" is no number; write a"
                        + " number, or a quantity such as 512Mi",
                "file: v.csv, type: number | k,v\\na,1Gi => t {=NUMBER} {a={=1.073741824E9}}",
                "file: v.csv, type: string | k,v\\na,1 => t {=STRING} {a={=1}}",
                "file: v.csv, default: 3 | k,v\\na,x => v.csv:2:1: R030: table t: \"x\" of \"a\" is no number; write a"
                        + " number, or a quantity such as 512Mi",
                "file: v.csv, default: {w: x} | k,w,o\\na,1,x => p.yaml:1:10: R030: table t: the default of field \"w\" is a"
                        + " string, the values are numbers; declare the fields: fields: {...}",
                "file: v.csv | k,w,o\\na,1 => v.csv:2:1: R030: table t: a line of 2 cells, the first line has 3; leave a cell"
                        + " empty: a,,b",
                "file: v.csv | k\\na => v.csv:1: R030: table t: no line with the names of at least two columns; the first"
                        + " line names them: key,value",
                "file: v.csv | a,1\\nb,2 => v.csv:1: R030: table t: \"1\" where the name of a column is expected; the first line"
                        + " names the columns: key,value",
                "file: v.csv | k,w,o-o\\na,1,2 => v.csv:2:1: R030: table t: \"o-o\" is no name; a name has up to 63 letters,"
                        + " digits and _, starts with a letter, and is no word of the language",
                "file: v.csv | k,v\\na,1\\na,2 => v.csv:3:1: R030: table t: the key \"a\" stands twice; leave one out",
                "file: v.csv | k,v => v.csv: R030: table t: there are no values, so that their type is unknown; declare"
                        + " it: type: number",
                "file: v.json | {\"a\": {\"w\": 1}} => t {w=NUMBER} {a={w=1.0}}",
                "file: v.json | [1] => v.json:1:1: R030: table t: found array where keys with values are expected; write key:"
                        + " value, a line each",
                "file: v.yaml | a: 1\\nb: 2 => t {=NUMBER} {a={=1.0}, b={=2.0}}",
                "file: v.yaml | a: 1\\nb: x => v.yaml:2:4: R030: table t: \"b\" is a string, before it is a number; give"
                        + " values of one type",
                "file: v.txt | a => v.txt: R030: table t: the name \"v.txt\" does not show its format; it ends in"
                        + " .csv, .json, .yaml, .yml",
                "configMap: {namespace: ns, name: m, key: v.csv} | k,v\\na,1 => t {=NUMBER} {a={=1.0}}",
            })
    void texts(String source, String expected) throws DocumentException {
        String[] parts = source.split(" \\| ", 2);
        TableInput input = definition -> {
            String name = definition.origin() instanceof TableOrigin.File file ? file.path() : "v.csv";
            return new TableInput.Text(parts[1].replace("\\n", "\n"), name, name);
        };
        assertEquals(expected, result("{t: {" + parts[0] + "}}", input));
    }

    /** A table whose values arrive later is empty at first, and its types are those of the source. */
    @ParameterizedTest
    @CsvSource(
            delimiterString = "=>",
            quoteCharacter = '`',
            value = {
                "prometheus: {url: http://p, query: up, label: node}, default: 3 => t {=NUMBER} {} else {=3.0}",
                "metricsApi: nodes, default: {cpu: 1} => t {cpu=NUMBER, memory=NUMBER} {} else {cpu=1.0}",
                "metricsApi: {resource: nodes, interval: 15s} => t {cpu=NUMBER, memory=NUMBER} {}",
            })
    void measured(String source, String expected) throws DocumentException {
        TableInput later = new TableInput() {
            @Override
            public TableInput.@Nullable Text text(TableDefinition definition) {
                return null;
            }

            @Override
            public boolean isMeasured(TableDefinition definition) {
                return true;
            }
        };
        assertEquals(expected, result("{t: {" + source + "}}", later));
    }

    @Test
    void sizesAreBounded() throws DocumentException {
        StringBuilder keys = new StringBuilder("k,v\n");
        for (int i = 0; i <= TableLimits.MAX_KEYS; i++) {
            keys.append(i).append(",1\n");
        }
        String big = "k,v\na," + "x".repeat(TableLimits.MAX_TEXT);
        String wide = "k,v\na," + "x".repeat(TableLimits.MAX_STRING + 1);
        String longKey = "k,v\n" + "x".repeat(TableLimits.MAX_KEY + 1) + ",1";
        assertAll(
                () -> assertTrue(of(keys.toString()).contains("more than 50000 keys"), () -> "keys"),
                () -> assertTrue(of(big).contains("at most 2097152 are read"), () -> "text"),
                () -> assertTrue(of(wide).contains("at most 1024 visible characters"), () -> "string"),
                () -> assertTrue(of(longKey).contains("a key has 1 to 512 visible characters"), () -> "key"),
                () -> assertTrue(of("k,v\n\u202ea,1").contains("visible characters"), () -> "hidden"));
    }

    private static String of(String text) throws DocumentException {
        return result("{t: {file: v.csv}}", definition -> new TableInput.Text(text, "v.csv", "v.csv"));
    }

    /** Later values must have the types of the first ones. */
    @Test
    void laterValues() throws Exception {
        TableDeclarations.Declarations found = TableDeclarations.of(
                SourceDocument.parse("tables: {t: {file: v.csv, default: 7}}").root(), "p.yaml");
        RuleTables tables = PolicyTables.of(
                found.tables(),
                Map.of(),
                definition -> new TableInput.Text("k,v\na,1", "v.csv", "v.csv"),
                new ArrayList<>());
        TableState state = Objects.requireNonNull(tables.get().states().get("t"));
        TableValues next = TableText.next(
                Objects.requireNonNull(tables.definitions().get("t")), state.schema(), "k,v\nb,2", "v.csv", "v.csv");
        assertAll(
                () -> assertEquals(2.0, next.get("b", "")),
                () -> assertEquals(7.0, next.get("a", "")),
                () -> assertFalse(next.has("a")),
                () -> assertEquals(RuleType.NUMBER, state.schema().type("")));
    }
}
