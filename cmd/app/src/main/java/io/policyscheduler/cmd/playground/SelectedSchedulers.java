package io.policyscheduler.cmd.playground;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.google.common.collect.ImmutableMap;
import io.policyscheduler.cmd.options.InputException;
import io.policyscheduler.cmd.playground.Playground.PlaygroundException;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.engine.cluster.release.FeatureGates;
import io.policyscheduler.framework.insight.compare.SchedulerSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The selected schedulers; the first one binds pods. The syntax is that of commands, with texts instead of files: no file of this
 * machine is read. Immutable.
 *
 * @param choices as they were made
 * @param deciders the same, ready to decide
 * @param warnings one line each
 */
record SelectedSchedulers(List<Choice> choices, List<SchedulerFactory.Named> deciders, List<String> warnings) {
    private static final Pattern PLACE = Pattern.compile("^(.*?):(\\d+)(?::\\d+)?: (.*)$");
    private static final int MOST = 6;

    SelectedSchedulers {
        choices = List.copyOf(choices);
        deciders = List.copyOf(deciders);
        warnings = List.copyOf(warnings);
    }

    /**
     * One scheduler.
     *
     * @param decider such as {@code modern}, {@code provider:DefaultProvider} or {@code policy:NAME}
     * @param name of the text; empty for none
     */
    record Choice(String decider, String name, String text) {}

    /** The default of a cluster of the release. */
    static SelectedSchedulers standard(FeatureGates gates) {
        String decider = gates.honoursNewerFields() ? "modern" : "provider:DefaultProvider";
        return of(List.of(new Choice(decider, "", "")), gates);
    }

    /**
     * Parses the selection of a page.
     *
     * @param json an array of {@code {"decider", "name", "text"}}
     * @throws PlaygroundException if there are none or too many, or if one is invalid
     */
    static SelectedSchedulers read(JsonNode json, FeatureGates gates) {
        List<Choice> choices = new ArrayList<>();
        for (JsonNode one : json) {
            choices.add(new Choice(
                    one.path("decider").asText(),
                    one.path("name").asText(),
                    one.path("text").asText()));
        }
        if (choices.isEmpty() || choices.size() > MOST) {
            throw PlaygroundException.of("1 to " + MOST + " schedulers can be selected, not " + choices.size());
        }
        return of(choices, gates);
    }

    private static SelectedSchedulers of(List<Choice> choices, FeatureGates gates) {
        Map<String, String> texts = new LinkedHashMap<>();
        for (Choice choice : choices) {
            String before = choice.name().isEmpty() ? null : texts.putIfAbsent(choice.name(), choice.text());
            if (before != null && !before.equals(choice.text())) {
                throw PlaygroundException.of("two schedulers have the name " + choice.name());
            }
        }
        List<String> warnings = new ArrayList<>();
        List<SchedulerFactory.Named> found = new ArrayList<>();
        try {
            SchedulerFactory deciders = SchedulerFactory.ofTexts(ImmutableMap.copyOf(texts), gates, warnings::add);
            for (Choice choice : choices) {
                found.add(deciders.find(choice.decider()));
            }
        } catch (InputException | IllegalArgumentException e) {
            throw refusal(String.valueOf(e.getMessage()));
        }
        return new SelectedSchedulers(
                choices, found, warnings.stream().distinct().toList());
    }

    private static PlaygroundException refusal(String message) {
        return new PlaygroundException(message.lines()
                .map(line -> {
                    Matcher place = PLACE.matcher(line);
                    return place.matches()
                            ? new PlaygroundException.Reason(
                                    place.group(1) + ": " + place.group(3),
                                    place.group(2).length() < 9 ? Integer.parseInt(place.group(2)) : 0)
                            : new PlaygroundException.Reason(line, 0);
                })
                .toList());
    }

    /** The scheduler that binds pods. */
    SchedulerFactory.Named first() {
        return deciders.get(0);
    }

    /** {@code {"deciders": [{"decider", "name", "text", "filters", "scores"}], "warnings"}}. */
    ObjectNode json() {
        ObjectNode json = JsonNodeFactory.instance.objectNode();
        ArrayNode all = json.putArray("deciders");
        for (int i = 0; i < choices.size(); i++) {
            Choice choice = choices.get(i);
            SchedulerSpec source = deciders.get(i).source();
            ObjectNode one = all.addObject().put("decider", choice.decider());
            one.put("name", choice.name()).put("text", choice.text());
            source.filters().forEach(one.putArray("filters")::add);
            ObjectNode scores = one.putObject("scores");
            source.scores().forEach(scores::put);
        }
        warnings.forEach(json.putArray("warnings")::add);
        return json;
    }
}
