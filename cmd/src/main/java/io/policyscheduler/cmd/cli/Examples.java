package io.policyscheduler.cmd.cli;

import com.google.common.collect.ImmutableListMultimap;
import java.util.List;

/** The example command lines of the help. */
final class Examples {
    private static final ImmutableListMultimap<String, String> BY_COMMAND =
            ImmutableListMultimap.<String, String>builder()
                    .putAll(
                            "",
                            "policy-scheduler demo",
                            "policy-scheduler validate --explain policy.json",
                            "policy-scheduler simulate --policy policy.json --cluster dump.json",
                            "source <(policy-scheduler completion bash)")
                    .putAll("demo", "policy-scheduler demo", "policy-scheduler demo -o json")
                    .putAll(
                            "run",
                            "policy-scheduler run --policy-config-file policy.json --scheduler-name policy-scheduler",
                            "policy-scheduler run --config scheduler.yaml --leader-elect")
                    .putAll(
                            "validate",
                            "policy-scheduler validate policy.json",
                            "policy-scheduler validate --explain policy.json",
                            "policy-scheduler validate scheduler.yaml -o json")
                    .putAll(
                            "simulate",
                            "policy-scheduler simulate --policy policy.json --cluster dump.json",
                            "policy-scheduler simulate --policy policy.json --live -n shop -l app=web",
                            "policy-scheduler simulate --policy policy.json --cluster dump.json --drain node-3",
                            "policy-scheduler simulate --policy policy.json --cluster dump.json --podspec pod.yaml")
                    .putAll(
                            "explain",
                            "policy-scheduler explain web-1 --policy policy.json --cluster dump.json",
                            "policy-scheduler explain -n shop pod/web-1 --in-order --policy policy.json --cluster dump.json",
                            "policy-scheduler explain web-1 --node node-3 --live --scheduler modern")
                    .putAll("why", "policy-scheduler why -n shop web-1")
                    .putAll(
                            "compare",
                            "policy-scheduler compare policy.json modern --cluster dump.json",
                            "policy-scheduler compare policy.json scheduler.yaml --live --replay-bound --html report.html")
                    .putAll("shadow", "policy-scheduler shadow policy.json --duration 1h --report report.json")
                    .putAll(
                            "audit",
                            "policy-scheduler audit --policy policy.json --live",
                            "policy-scheduler audit --policy policy.json --live --evict --max-evictions-per-node 1",
                            "policy-scheduler audit --policy policy.json --live -n shop --evict --dry-run=false --rate 10/min")
                    .putAll(
                            "dump",
                            "policy-scheduler dump > dump.json.gz",
                            "policy-scheduler dump --context prod --output-file prod.json.gz --strict")
                    .putAll(
                            "migrate",
                            "policy-scheduler migrate policy.json > scheduler.yaml",
                            "policy-scheduler migrate policy.json --verify dump.json --fail-under 90%")
                    .putAll("replay", "policy-scheduler replay recording.gz")
                    .putAll("extender", "policy-scheduler extender --policy policy.json --port 8888")
                    .putAll(
                            "cluster",
                            "policy-scheduler cluster --load cluster.yaml workload.yaml --write-kubeconfig /tmp/kubeconfig")
                    .putAll(
                            "bench",
                            "policy-scheduler bench --nodes 1000 --pods 5000",
                            "policy-scheduler bench --scale --scheduler modern")
                    .putAll("bench sync", "policy-scheduler bench sync --nodes 5000 --pods 20000 --runs 3")
                    .putAll("bench live", "policy-scheduler bench live --nodes 1000 --pending 5000")
                    .putAll("config", "policy-scheduler config show --config scheduler.yaml")
                    .putAll(
                            "config show",
                            "policy-scheduler config show --config scheduler.yaml",
                            "policy-scheduler config show -o yaml")
                    .putAll(
                            "rule",
                            "policy-scheduler rule check -e \"pod.hasLabel('app')\"",
                            "policy-scheduler rule docs")
                    .putAll(
                            "rule check",
                            "policy-scheduler rule check -e \"pod.hasLabel('app')\"",
                            "policy-scheduler rule check policy.json")
                    .putAll("rule lint", "policy-scheduler rule lint policy.json --strict")
                    .putAll("rule explain", "policy-scheduler rule explain -e \"node.podCount < 5\"")
                    .putAll(
                            "rule eval",
                            "policy-scheduler rule eval -e \"node.podCount < 5\" --cluster dump.json --pod shop/web-1")
                    .putAll("rule test", "policy-scheduler rule test cases.yaml")
                    .putAll("rule docs", "policy-scheduler rule docs")
                    .putAll("rule bench", "policy-scheduler rule bench -e \"node.podCount < 5\"")
                    .putAll("help", "policy-scheduler help simulate", "policy-scheduler help rule check")
                    .putAll("version", "policy-scheduler version", "policy-scheduler version -o json")
                    .putAll(
                            "completion",
                            "source <(policy-scheduler completion bash)",
                            "policy-scheduler completion fish > ~/.config/fish/completions/policy-scheduler.fish")
                    .build();

    private Examples() {}

    /**
     * Those of a command.
     *
     * @param command without the name of the program, such as {@code rule check}; empty for the program
     */
    static List<String> of(String command) {
        return BY_COMMAND.get(command);
    }
}
