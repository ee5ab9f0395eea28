package io.policyscheduler.framework.modern;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodContext;
import io.policyscheduler.engine.algorithm.PodFilter;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import io.policyscheduler.engine.algorithm.Predicate;
import io.policyscheduler.engine.cluster.ClusterState;
import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.ClusterObject;
import io.policyscheduler.engine.cluster.object.Node;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.engine.reader.ObjectReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Collectors;

/** A small cluster, and short forms of predicates' results. Objects are written as JSON with single quotes or none. */
final class PolicyFixture {
    private static final JsonFactory JSON = JsonFactory.builder()
            .enable(JsonReadFeature.ALLOW_SINGLE_QUOTES)
            .enable(JsonReadFeature.ALLOW_UNQUOTED_FIELD_NAMES)
            .build();

    final ClusterState cluster = new ClusterState();
    private final ObjectReader reader = new ObjectReader(FeatureGates.defaults(), false);

    /** Adds an object of a kind. */
    PolicyFixture add(String kind, String text) {
        ClusterObject object = read(kind, text);
        if (object instanceof Node node) {
            cluster.putNode(node);
        } else if (object instanceof PodInfo pod) {
            cluster.addPod(pod);
        } else {
            cluster.putObject(object);
        }
        return this;
    }

    /** Adds a node with room for ten pods. */
    PolicyFixture node(String name, String labels, String allocatable) {
        return add(
                "Node",
                "{metadata: {name: '" + name + "', labels: {" + labels + "}}, status: {allocatable: {pods: '10', "
                        + allocatable + "}}}");
    }

    /** A pod of the namespace {@code default}. */
    PodInfo pod(String name, String labels, String spec) {
        return (PodInfo) read(
                "Pod",
                "{metadata: {namespace: 'default', name: '" + name + "', uid: '" + name + "-uid', labels: {" + labels
                        + "}}, spec: {" + spec + "}}");
    }

    /** Puts a pod of the namespace {@code default} on a node. */
    PolicyFixture placed(String name, String labels, String node, String spec) {
        cluster.addPod(pod(name, labels, spec).withNodeName(node));
        return this;
    }

    ClusterObject read(String kind, String text) {
        try (JsonParser parser = JSON.createParser(text)) {
            parser.nextToken();
            ClusterObject object = reader.read(parser, kind);
            if (object == null) {
                throw new IllegalArgumentException("unknown kind " + kind);
            }
            return object;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    PodContext context(PodInfo pod) {
        cluster.startCycle();
        return PodContext.of(pod, cluster);
    }

    List<NodeInfo> nodes() {
        return cluster.nodes().stream()
                .sorted(Comparator.comparing(NodeInfo::name))
                .toList();
    }

    /** Returns the results for all nodes in name order. */
    List<String> verdicts(Predicate predicate, PodInfo pod) {
        return verdicts(predicate.start(context(pod)));
    }

    List<String> verdicts(PodFilter filter) {
        return nodes().stream().map(node -> text(filter.check(node))).toList();
    }

    /** Returns {@code fits}; or the reasons, each with a mark if preemption cannot help; or the error. */
    static String text(Verdict verdict) {
        if (verdict.error() != null) {
            return "error: " + verdict.error();
        }
        return verdict.fits()
                ? "fits"
                : verdict.reasons().stream().map(PolicyFixture::text).collect(Collectors.joining(", "));
    }

    private static String text(FailureReason reason) {
        return reason.text() + (reason.resolvable() ? "" : " !");
    }
}
