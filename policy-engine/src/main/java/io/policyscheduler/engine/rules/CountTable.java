package io.policyscheduler.engine.rules;

import io.policyscheduler.engine.cluster.ClusterView;
import io.policyscheduler.engine.cluster.Labels;
import io.policyscheduler.engine.cluster.NodeInfo;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Counts of pods and nodes by label and topology. A question is counted when it is asked for the first time; in the attempts
 * after that only nodes are visited, and only those counted again that have changed. Used by one thread.
 */
final class CountTable {
    /** A question; {@code topologyKey} is empty for the whole cluster, {@code value} null for any value. */
    private record Question(
            String topologyKey, String key, @Nullable String value) {}

    private static final int MAX_QUESTIONS = 64;

    private final ClusterView cluster;
    private final Thread owner = Thread.currentThread();
    private final Map<Question, ByTopology> answers = new HashMap<>();
    private int attempt;

    CountTable(ClusterView cluster) {
        this.cluster = cluster;
    }

    ClusterView cluster() {
        return cluster;
    }

    /** True when the caller may use this table for an attempt on {@code view}. */
    boolean serves(ClusterView view) {
        return view == cluster && owner == Thread.currentThread();
    }

    /** Starts an attempt: the cluster may have changed since the one before. */
    void startAttempt() {
        attempt++;
        if (answers.size() > MAX_QUESTIONS) {
            // Questions may hold labels of the pod, of which there is no end.
            answers.clear();
        }
    }

    long pods(String key, @Nullable String value) {
        return of("", key, value).pods("");
    }

    long nodes(String key, @Nullable String value) {
        ByTopology byValue = of(key, "", null);
        return value == null ? byValue.allNodes() : byValue.nodes(value);
    }

    /** Pods with a label by the values of a node label; with an empty {@code key} no pods are counted. */
    ByTopology of(String topologyKey, String key, @Nullable String value) {
        Question question = new Question(topologyKey, key, value);
        ByTopology answer = answers.get(question);
        if (answer == null) {
            answer = new ByTopology(question);
            answers.put(question, answer);
        }
        if (answer.attempt != attempt) {
            answer.refresh(cluster.nodes());
            answer.attempt = attempt;
        }
        return answer;
    }

    private static final class Cell {
        long nodes;
        long pods;
    }

    /** One question, answered for each topology. */
    static final class ByTopology {
        private final Question question;
        private final Map<String, Cell> cells = new HashMap<>();
        private @Nullable List<NodeInfo> counted;
        private long[] generations = new long[0];
        private int[] podsOf = new int[0];
        private @Nullable String[] topologyOf = new String[0];
        private int attempt = -1;

        private ByTopology(Question question) {
            this.question = question;
        }

        long pods(String topology) {
            Cell cell = cells.get(topology);
            return cell == null ? 0 : cell.pods;
        }

        long nodes(String topology) {
            Cell cell = cells.get(topology);
            return cell == null ? 0 : cell.nodes;
        }

        long allNodes() {
            long sum = 0;
            for (Cell cell : cells.values()) {
                sum += cell.nodes;
            }
            return sum;
        }

        int values() {
            return cells.size();
        }

        Collection<String> topologies() {
            return cells.keySet();
        }

        private void refresh(List<NodeInfo> nodes) {
            boolean anew = counted != nodes || generations.length != nodes.size();
            if (anew) {
                cells.clear();
                generations = new long[nodes.size()];
                podsOf = new int[nodes.size()];
                topologyOf = new String[nodes.size()];
                counted = nodes;
            }
            for (int i = 0; i < generations.length; i++) {
                NodeInfo node = nodes.get(i);
                if (anew || generations[i] != node.generation()) {
                    recount(i, node);
                }
            }
        }

        private void recount(int index, NodeInfo node) {
            add(topologyOf[index], -1, -podsOf[index]);
            Labels labels = node.node().labels();
            topologyOf[index] = question.topologyKey().isEmpty() ? "" : labels.get(question.topologyKey());
            podsOf[index] = question.key().isEmpty() ? 0 : count(node);
            generations[index] = node.generation();
            add(topologyOf[index], 1, podsOf[index]);
        }

        private void add(@Nullable String topology, int nodes, int pods) {
            if (topology == null) {
                return;
            }
            Cell cell = cells.computeIfAbsent(topology, unused -> new Cell());
            cell.nodes += nodes;
            cell.pods += pods;
            if (cell.nodes == 0) {
                cells.remove(topology);
            }
        }

        private int count(NodeInfo node) {
            int count = 0;
            String value = question.value();
            for (int i = node.podCount() - 1; i >= 0; i--) {
                Labels labels = node.pod(i).labels();
                count += (value == null ? labels.has(question.key()) : labels.has(question.key(), value)) ? 1 : 0;
            }
            return count;
        }
    }
}
