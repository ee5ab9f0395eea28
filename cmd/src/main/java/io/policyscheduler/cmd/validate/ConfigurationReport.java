package io.policyscheduler.cmd.validate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.sources.Deciders;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationReader;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The report of an accepted KubeSchedulerConfiguration. */
final class ConfigurationReport {
    private final SchedulerConfiguration configuration;
    /** Of the configuration and of what its profiles are made of, a line each. */
    private final List<String> warnings;

    private ConfigurationReport(SchedulerConfiguration configuration, List<String> warnings) {
        this.configuration = configuration;
        this.warnings = List.copyOf(warnings);
    }

    /**
     * Reads a configuration and makes its profiles.
     *
     * @param deciders make the profiles, and tell their warnings to {@code warnings}
     * @param plans checks a v1alpha1 configuration as {@code run} does, and returns its warnings
     * @throws ConfigurationException when it is refused
     * @throws io.policyscheduler.framework.plugin.Plugin.PluginException when a plugin cannot be made of what it says
     */
    static ConfigurationReport of(
            String text,
            String file,
            Deciders deciders,
            List<String> warnings,
            Function<SchedulerConfiguration, List<String>> plans)
            throws ConfigurationException {
        SchedulerConfiguration configuration = new ConfigurationReader().read(text, file);
        new ConfigurationValidator().check(configuration);
        List<String> told = new ArrayList<>();
        if (configuration.version() == ConfigVersion.V1ALPHA1) {
            told.addAll(plans.apply(configuration));
        } else {
            for (ProfileConfiguration profile : configuration.profiles()) {
                deciders.configured(file, text, file, profile.schedulerName());
            }
            told.addAll(warnings.stream().distinct().toList());
        }
        return new ConfigurationReport(configuration, told);
    }

    void print(String file, PrintWriter out) {
        String profiles = configuration.profiles().size() == 1
                ? "1 profile"
                : configuration.profiles().size() + " profiles";
        out.println(file + ": accepted: " + configuration.version().apiVersion() + ", " + profiles + " ("
                + String.join(", ", names()) + "), "
                + counted(configuration.extenders().size(), "extender") + ", "
                + counted(warnings.size(), "warning"));
        warnings.forEach(out::println);
    }

    private static String counted(int count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    void addTo(ObjectNode node) {
        node.put("apiVersion", configuration.version().apiVersion());
        ArrayNode profiles = node.putArray("profiles");
        names().forEach(profiles::add);
        ArrayNode list = node.putArray("warnings");
        for (Warning warning : configuration.warnings()) {
            list.addObject()
                    .put("code", warning.code())
                    .put("message", warning.message())
                    .put("line", warning.position().line())
                    .put("column", warning.position().column());
        }
        addOthers(list);
    }

    /** Adds warnings that are not about a place in the file, such as W036. */
    private void addOthers(ArrayNode list) {
        Pattern coded = Pattern.compile("warning (" + PolicyWarningCode.EXTENDERS + "): (.*)");
        for (String line : warnings) {
            Matcher matcher = coded.matcher(line);
            if (matcher.find()) {
                list.addObject()
                        .put("code", matcher.group(1))
                        .put("message", matcher.group(2))
                        .put("line", 0)
                        .put("column", 0);
            }
        }
    }

    private List<String> names() {
        return configuration.profiles().stream()
                .map(ProfileConfiguration::schedulerName)
                .toList();
    }
}
