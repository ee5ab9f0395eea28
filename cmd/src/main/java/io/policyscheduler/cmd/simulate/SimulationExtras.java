package io.policyscheduler.cmd.simulate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.report.CompareText;
import io.policyscheduler.cmd.report.Percent;
import io.policyscheduler.cmd.report.TextTable;
import io.policyscheduler.framework.insight.explain.Amounts;
import io.policyscheduler.framework.insight.whatif.FitCount;
import io.policyscheduler.framework.insight.whatif.Utilisation;
import io.policyscheduler.framework.insight.whatif.Utilisation.Part;
import io.policyscheduler.framework.insight.whatif.Utilisation.Use;
import java.io.PrintWriter;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * What a simulation has besides the pods' places.
 *
 * @param changes what was changed in the cluster before, a line each
 * @param before how full the nodes were before anything was changed
 * @param after how full they are when all pods are placed, those of {@code fit} not counted
 * @param fit how many more of a pod there is room for; null when nobody asked
 */
record SimulationExtras(
        List<String> changes,
        Utilisation before,
        Utilisation after,
        @Nullable FitCount fit) {
    public SimulationExtras {
        changes = List.copyOf(changes);
    }

    void printChanges(PrintWriter out) {
        changes.forEach(out::println);
        if (!changes.isEmpty()) {
            out.println();
        }
    }

    void printRest(PrintWriter out) {
        if (fit != null) {
            out.println();
            printFit(out, fit);
        }
        if (changes.isEmpty() && fit == null) {
            return;
        }
        out.println();
        Use old = before.total();
        Use now = after.total();
        TextTable table = new TextTable().text("REQUESTED").text("BEFORE").text("AFTER");
        table.row("nodes", before.nodes().size(), after.nodes().size());
        table.row("cpu", cpu(old.cpu()), cpu(now.cpu()));
        table.row("memory", memory(old.memory()), memory(now.memory()));
        table.row("pods", pods(old.pods()), pods(now.pods()));
        table.print(out);
        if (isOvercommitted(old) || isOvercommitted(now)) {
            out.println(CompareText.OVERCOMMITTED);
        }
    }

    private static boolean isOvercommitted(Use use) {
        return Stream.of(use.cpu(), use.memory(), use.pods()).anyMatch(part -> part.percent() > 100);
    }

    private static void printFit(PrintWriter out, FitCount fit) {
        out.println("Room for " + fit.count() + " more of " + fit.pod()
                + (fit.message().isEmpty()
                        ? " (the limit of --fit-limit)."
                        : ". Message for the next one: " + fit.message()));
        TextTable table = new TextTable().text("NODE").number("MORE");
        fit.byNode().forEach(table::row);
        table.print(out);
    }

    private static String cpu(Part part) {
        return percent(Amounts.cpu(part.requested()), Amounts.cpu(part.allocatable()), part);
    }

    private static String memory(Part part) {
        return percent(Amounts.bytes(part.requested()), Amounts.bytes(part.allocatable()), part);
    }

    private static String pods(Part part) {
        return percent(Long.toString(part.requested()), Long.toString(part.allocatable()), part);
    }

    private static String percent(String requested, String allocatable, Part part) {
        return requested + " of " + allocatable + " (" + Percent.of(part.percent()) + "%)";
    }

    void addTo(ObjectNode json) {
        changes.forEach(json.putArray("changes")::add);
        ObjectNode utilisation = json.putObject("utilisation");
        use(utilisation.putObject("before"), before.total());
        use(utilisation.putObject("after"), after.total());
        ArrayNode nodes = utilisation.putArray("nodes");
        Set<String> names = new TreeSet<>(before.nodes().keySet());
        names.addAll(after.nodes().keySet());
        for (String name : names) {
            ObjectNode node = nodes.addObject().put("node", name);
            put(node, "before", before.nodes().get(name));
            put(node, "after", after.nodes().get(name));
        }
        if (fit == null) {
            json.putNull("fit");
            return;
        }
        ObjectNode counted = json.putObject("fit");
        counted.put("pod", fit.pod()).put("count", fit.count());
        counted.put("message", fit.message().isEmpty() ? null : fit.message());
        ObjectNode byNode = counted.putObject("nodes");
        fit.byNode().forEach((node, count) -> byNode.put(node, count));
    }

    private static void put(ObjectNode node, String field, @Nullable Use use) {
        if (use == null) {
            node.putNull(field);
        } else {
            use(node.putObject(field), use);
        }
    }

    private static void use(ObjectNode node, Use use) {
        part(node.putObject("cpu"), use.cpu());
        part(node.putObject("memory"), use.memory());
        part(node.putObject("pods"), use.pods());
    }

    private static void part(ObjectNode node, Part part) {
        node.put("requested", part.requested()).put("allocatable", part.allocatable());
    }
}
