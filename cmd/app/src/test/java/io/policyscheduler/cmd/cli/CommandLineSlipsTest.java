package io.policyscheduler.cmd.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Common mistakes on the command line: arguments, exit code, and the one-line message. */
class CommandLineSlipsTest {
    private static final String DUMP = " --cluster DIR/world.json";

    @TempDir
    static Path dir = Path.of("");

    @BeforeAll
    static void files() throws IOException {
        write(
                "policy.json",
                "{\"kind\":\"Policy\",\"apiVersion\":\"v1\",\"predicates\":[{\"name\":\"PodFitsResources\"}],"
                        + "\"priorities\":[]}");
        write("nothing.json", "");
        write("braces.json", "{}");
        write("comment.json", "{\n  // ours\n  \"kind\": \"Policy\", \"apiVersion\": \"v1\"\n}");
        write("headed.json", "// ours\n{\"kind\": \"Policy\", \"apiVersion\": \"v1\"}");
        write("config.yaml", """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: a}]
            """);
        write("plugin.yaml", """
            apiVersion: kubescheduler.config.k8s.io/v1
            kind: KubeSchedulerConfiguration
            profiles: [{schedulerName: a, plugins: {score: {enabled: [{name: Nowhere}]}}}]
            """);
        write("kubeconfig", """
            apiVersion: v1
            kind: Config
            current-context: one
            clusters: [{name: c, cluster: {server: "http://127.0.0.1:1"}}]
            contexts: [{name: one, context: {cluster: c}}, {name: two, context: {cluster: c}}]
            """);
        String yaml = "# A volume and its class.\napiVersion: v1\nkind: PersistentVolume\nmetadata: {name: v}\n";
        write("world.yaml", yaml);
        try (OutputStream zipped = new GZIPOutputStream(Files.newOutputStream(dir.resolve("world.yaml.gz")))) {
            zipped.write(yaml.getBytes(StandardCharsets.UTF_8));
        }
        write("world.json", """
            {"kind":"Node","apiVersion":"v1","metadata":{"name":"n1"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}
            {"kind":"Node","apiVersion":"v1","metadata":{"name":"n2"},"status":{"allocatable":{"cpu":"4","pods":"9"}}}
            {"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-1","namespace":"a","uid":"1","labels":{"app":"w"}}}
            {"kind":"Pod","apiVersion":"v1","metadata":{"name":"web-2","namespace":"a","uid":"2","labels":{"app":"w"}}}
            {"kind":"Pod","apiVersion":"v1","metadata":{"name":"db","namespace":"default","uid":"3"}}
            """);
    }

    private static void write(String name, String text) throws IOException {
        Files.writeString(dir.resolve(name), text);
    }

    private CommandRun run(String line) {
        String whole = line.replace(" DUMP", DUMP);
        String[] args = whole.isEmpty()
                ? new String[0]
                : whole.replace("DIR", dir.toString()).split(" ");
        CommandRun run = CommandRun.of(args);
        String prefix = dir + "/";
        return new CommandRun(
                run.code(), run.out().replace(prefix, ""), run.err().replace(prefix, ""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "simlate | 2 | unknown command 'simlate' (did you mean simulate?)",
                "rule chek x | 2 | unknown command 'chek' (did you mean check?)",
                "validate | 2 | FILE, --provider, or --profile is required",
                "simulate --policy-config-file DIR/policy.json DUMP | 2 | unknown option --policy-config-file (did"
                        + " you mean --policy?)",
                "explain db --policy-configmap p DUMP | 2 | unknown option --policy-configmap (did you mean"
                        + " --scheduler configmap:NAMESPACE/NAME?)",
                "audit --algorithm-provider DefaultProvider DUMP | 2 | unknown option --algorithm-provider (did you"
                        + " mean --provider?)",
                "compare --policy-config-file DIR/policy.json modern DUMP | 2 | unknown option --policy-config-file"
                        + " (did you mean the file without an option?)",
                "run --ip-resource example.com/ip | 2 | unknown option --ip-resource: a rule counts the addresses of a"
                        + " node, as in policy-files/rules/underlay-ip.yaml",
                "run --config configmap:kube-system/s | 3 | --config configmap:kube-system/s: a ConfigMap is not a"
                        + " file; use --profile NAME=configmap:kube-system/s, or mount the ConfigMap and pass its file",
                "run --config DIR/kubeconfig | 3 | kubeconfig:2:7: no kind \"Config\" is registered for version \"v1\""
                        + " in scheme \"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme/scheme.go:30\"; the document is"
                        + " a kubeconfig: pass it with --kubeconfig",
                "why | 2 | POD is required",
                "explain --cluster DIR/world.json db | 2 | POD is required; put it before --cluster, which takes all"
                        + " files that follow",
                "simulate DUMP | 2 | one of these is required: --policy=FILE, --scheduler=SCHEDULER,"
                        + " --provider=NAME, --profile=modern/config:FILE[#PROFILE]",
                "simulate DIR/policy.json DUMP | 2 | unexpected argument 'policy.json' (did you mean --policy"
                        + " policy.json?)",
                "simulate DIR/world.json --policy DIR/policy.json | 2 | unexpected argument 'world.json' (did you mean"
                        + " --cluster world.json?)",
                "simulate DIR/world.yaml --policy DIR/policy.json | 2 | unexpected argument 'world.yaml' (did you mean"
                        + " --cluster world.yaml?)",
                "simulate DIR/world.yaml.gz --policy DIR/policy.json | 2 | unexpected argument 'world.yaml.gz' (did you"
                        + " mean --cluster world.yaml.gz?)",
                "simulate --polcy DIR/policy.json DUMP | 2 | unknown option --polcy (did you mean --policy?)",
                "simulate --policy DIR/policy.json --provider DefaultProvider DUMP | 2 | use only one of"
                        + " --policy=FILE, --provider=NAME",
                "simulate --policy DIR/policy.json DUMP -o jsn | 2 | --output: 'jsn' is not one of table, wide, json,"
                        + " yaml, markdown (did you mean json?)",
                "simulate --policy DIR/policy.json DUMP --tie-break none | 2 | --tie-break: 'none' is not one of"
                        + " round-robin, random, first",
                "simulate --policy DIR/policy.json DUMP --mode framwork | 2 | --mode: 'framwork' is not one of"
                        + " framework, legacy (did you mean framework?)",
                "simulate --policy DIR/policy.json DUMP --seed x | 2 | --seed: 'x' is not an integer",
                "simulate --policy DIR/policy.json DUMP --seed 1 --seed 2 | 2 | --seed is set more than once",
                "simulate --policy | 2 | --policy requires a value: FILE",
                "simulate --policy DIR/policy.json DUMP -l app=w=x | 2 | --selector: 'app=w=x' is not a selector (such"
                        + " as app=web,tier!=db)",
                "simulate --policy DIR/policy.json DUMP --scale web | 2 | --scale: \"web\" is not"
                        + " [NAMESPACE/]KIND/NAME=NUMBER, such as deploy/web=50",
                "simulate --policy DIR/config.yaml DUMP | 3 | config.yaml: a KubeSchedulerConfiguration, not a policy"
                        + " (did you mean config:config.yaml?)",
                "simulate --policy DIR/policy.json DUMP --fit web-1 --fit-limit 0 | 2 | --fit-limit: 0 is not above 0",
                "simulate --policy DIR/policy.json DUMP --fit web | 3 | web matches 2 pods: a/web-1, a/web-2; use the"
                        + " full name",
                "simulate --policy DIR/policy.json --context one --kubeconfig DIR/kubeconfig -l | 2 | --selector"
                        + " requires a value: SELECTOR",
                "simulate --policy DIR/policy.json --context six --kubeconfig DIR/kubeconfig | 4 | kubeconfig"
                        + " kubeconfig: no context \"six\"; there are one, two",
                "audit --policy DIR/policy.json DUMP --threshold x | 2 | --threshold: 'x' is not a number",
                "audit --policy DIR/policy.json DUMP --rate 5 | 2 | --rate: \"5\" is not a rate such as 10/min, 2/s or"
                        + " 30/h",
                "compare DIR/gone.json modern DUMP | 3 | no such file: gone.json",
                "compare DIR/policy.json modrn DUMP | 3 | \"modrn\" is not policy:FILE, configmap:NAMESPACE/NAME,"
                        + " provider:NAME, config:FILE[#PROFILE] or modern; optionally with the suffix @1.N (the"
                        + " kube-scheduler of a release), or the prefix legacy: or strict: (did you mean \"modern\"?)",
                "compare DIR/policy.json DUMP | 2 | 2 arguments SCHEDULER are required",
                "compare DIR/policy.json modern | 2 | no snapshot: set --cluster FILE... for a dump, or --live for the"
                        + " cluster of the kubeconfig",
                "migrate DIR/policy.json --verify --config-file DIR/x | 2 | --verify requires a value, found"
                        + " --config-file",
                "migrate DIR/config.yaml | 3 | config.yaml: a KubeSchedulerConfiguration, which needs no migration",
                "explain web DUMP | 3 | web matches 2 pods: a/web-1, a/web-2; use the full name",
                "explain nobody DUMP | 3 | no pod default/nobody that is pending or running",
                "explain qqq DUMP | 3 | no pod default/qqq that is pending or running",
                "explain db --node elsewhere DUMP | 3 | no node elsewhere; there are n1, n2",
                "explain db web-1 DUMP | 2 | unexpected argument 'web-1'",
                "explain -n a db DUMP | 3 | no pod a/db that is pending or running (did you mean default/db?)",
                "explain db DUMP --node n | 3 | n matches 2 nodes: n1, n2; use the full name",
                "explain db DUMP --node n3 | 3 | no node n3 (did you mean n1?)",
                "run -o json | 2 | -o json: run has no result; its log is JSON with --logging-format json, its"
                        + " settings with config show -o json",
                "completion csh | 2 | SHELL: 'csh' is not one of bash, zsh, fish (did you mean zsh?)",
                "help nope -x | 2 | unknown option -x",
                "version more | 2 | unexpected argument 'more'",
                "cluster --load DIR/policy.json | 3 | policy.json: the embedded cluster does not serve kind \"Policy\""
                        + " of apiVersion \"v1\"",
                "simulate --policy DIR/policy.json DUMP --table x | 2 | --table: 'x' is not NAME=FILE",
                "simulate --policy DIR/policy.json DUMP --podspec DIR/world.json | 3 | --podspec world.json: expected"
                        + " one Pod or workload, found 5 objects with 3 pods",
                "simulate --policy DIR/policy.json DUMP --podspec DIR/policy.json --fit db | 2 | use only one of"
                        + " --fit, --podspec",
                "simulate --policy DIR/policy.json DUMP --verify-rules 7 | 2 | --verify-rules: '7' is more than all;"
                        + " did you mean \"7%\"?",
                "simulate --policy DIR/policy.json DUMP --now noon | 2 | --now: 'noon' is no time; write it like"
                        + " 2026-03-01T22:30:00Z",
                "simulate --policy DIR/policy.json DUMP --drain n | 3 | no node n (did you mean n1?)",
                "simulate --policy DIR DUMP | 3 | DIR is a directory",
                "simulate --policy DIR/policy.json --cluster DIR/gone.json | 3 | no such file: gone.json",
                "simulate --policy DIR/policy.json DUMP --html DIR/no/x.html | 3 | --html no/x.html: no such folder:"
                        + " no",
                "audit --policy DIR/policy.json DUMP --metrics DIR/no/x | 3 | --metrics no/x: no such folder: no",
                "audit --policy DIR/policy.json DUMP --evict --max-evictions -1 | 2 | --max-evictions: '-1' is not a"
                        + " non-negative integer",
                "audit --policy DIR/policy.json DUMP --max-evictions 1 | 2 | --max-evictions and --priority-threshold"
                        + " go with --evict",
                "audit --policy DIR/policy.json DUMP --evict --dry-run=false | 2 | --dry-run=false is for a running"
                        + " cluster (--live); without it, --evict only lists what it would evict",
                "compare DIR/policy.json modern DUMP --limit -1 | 2 | --limit: -1 is negative; 0 shows all",
                "compare DIR/policy.json modern DUMP --mode foo | 2 | --mode: 'foo' is not one of steps, run",
                "explain web-1 DUMP --nearest 0 | 2 | --nearest: 0 is not above 0",
                "migrate DIR/policy.json --fail-under 900% | 2 | --fail-under: '900%' is more than all",
                "rule check | 2 | give either FILE or -e EXPR",
                "rule eval | 2 | --pod=NAMESPACE/NAME, --cluster=FILE are required",
                "extender DIR/policy.json | 2 | unexpected argument 'policy.json' (did you mean --policy policy.json?)",
                "shadow | 2 | SCHEDULER is required",
                "shadow modrn | 3 | \"modrn\" is not policy:FILE, configmap:NAMESPACE/NAME, provider:NAME,"
                        + " config:FILE[#PROFILE] or modern; optionally with the suffix @1.N (the kube-scheduler of a"
                        + " release), or the prefix legacy: or strict: (did you mean \"modern\"?)",
                "config | 2 | a command is required: show",
                "replay DIR/nothing.json | 3 | no scenario in the files",
                "bench --nodes 0 | 2 | --nodes: '0' is not a positive integer",
                "cluster --port x | 2 | --port: 'x' is not a port from 0 to 65535",
            })
    void isToldInOneLine(String line, int code, String error) {
        CommandRun run = run(line);
        String message = run.err()
                .lines()
                .filter(each -> each.startsWith("error: "))
                .reduce((first, second) -> "two errors: " + first + second)
                .orElse(run.err());

        assertEquals(
                code + " error: " + error,
                run.code() + " " + message.replace("modern|", "modern/").replace(dir.toString(), "DIR"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "comment.json | 1 | comment.json:2:3: invalid JSON: invalid character '/' looking for beginning of"
                        + " object key string (JSON has no comments: remove them, or write YAML, where they begin with #)",
                "headed.json | 1 | headed.json:2:8: invalid YAML: mapping values are not allowed in this context (JSON"
                        + " has no comments: remove them, or write YAML, where they begin with #)",
                "plugin.yaml | 1 | plugin.yaml:3:59: initializing profiles: creating profile for scheduler name a:"
                        + " ScorePlugin \"Nowhere\" does not exist",
                "nothing.json | 1 | nothing.json: the policy is empty; for the predicates and priorities of"
                        + " DefaultProvider, write kind: Policy and apiVersion: v1, or use --provider DefaultProvider"
                        + " (run: --algorithm-provider)",
                "braces.json | 1 | braces.json: the policy is empty; for the predicates and priorities of"
                        + " DefaultProvider, write kind: Policy and apiVersion: v1, or use --provider DefaultProvider"
                        + " (run: --algorithm-provider)",
            })
    void validateTellsOfAFile(String file, int code, String line) {
        CommandRun run = run("validate DIR/" + file);

        assertEquals(
                code + " " + line,
                run.code() + " "
                        + run.out()
                                .lines()
                                .filter(message -> !message.startsWith("  "))
                                .reduce((first, last) -> last)
                                .orElse(""));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "db | default/db",
                "d | default/db",
                "pod/db | default/db",
                "po/db | default/db",
                "default/db | default/db",
                "a/web-1 | a/web-1",
                "web-1 | a/web-1",
                "-n a web-1 | a/web-1",
                "-n a pod/web-2 | a/web-2",
            })
    void podsAreFoundAsKubectlNamesThem(String pod, String key) {
        CommandRun run = run("explain " + pod + " -o json DUMP");

        assertEquals(
                "  \"pod\": \"" + key + "\",",
                run.out().lines().skip(1).findFirst().orElse(run.err()));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "'' | All 3 pending pods are placed.",
                "-A | All 3 pending pods are placed.",
                "-n a | All 2 pending pods are placed.",
                "-n a -l app=x | There are no pending pods.",
                "--selector app=w | All 2 pending pods are placed.",
                "-l !app | The pending pod is placed.",
            })
    void podsAreSelectedAsKubectlDoes(String flags, String placed) {
        CommandRun run = run("simulate --policy DIR/policy.json DUMP " + flags);

        assertEquals(placed, run.out().lines().findFirst().orElse(run.err()));
    }
}
