package io.policyscheduler.cmd.validate;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.policyscheduler.cmd.live.ProfileSettings;
import io.policyscheduler.cmd.sources.ReleaseOptions;
import io.policyscheduler.cmd.sources.SchedulerFactory;
import io.policyscheduler.engine.cluster.release.Release;
import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.SourceDocument.SourcePosition;
import io.policyscheduler.engine.document.Warning;
import io.policyscheduler.engine.policy.PolicyWarningCode;
import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ConfigurationReader.ConfigurationException;
import io.policyscheduler.framework.config.ConfigurationValidator;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.config.SchedulerConfiguration.ProfileConfiguration;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The report of an accepted KubeSchedulerConfiguration. */
final class ConfigurationReport {
    private final @Nullable SchedulerConfiguration configuration;
    /** The profiles, as in run; none for a policy in a ConfigMap. */
    private final List<ProfileSettings> profiles;
    /** Warnings about the configuration and the sources of its profiles, one line each. */
    private final List<String> warnings;

    private ConfigurationReport(
            @Nullable SchedulerConfiguration configuration, List<ProfileSettings> profiles, List<String> warnings) {
        this.configuration = configuration;
        this.profiles = List.copyOf(profiles);
        this.warnings = List.copyOf(warnings);
    }

    /** Creates the profiles of a configuration, and adds their warnings to a list. */
    @FunctionalInterface
    interface Plans {
        List<ProfileSettings> profiles(SchedulerConfiguration configuration, List<String> warnings);
    }

    /** Returns the report of one profile without a configuration. */
    static ConfigurationReport of(ProfileSettings profile, List<String> warnings) {
        return new ConfigurationReport(null, List.of(profile), warnings);
    }

    /**
     * Reads a configuration and creates its profiles.
     *
     * @param release the release that reads the configuration
     * @param schedulers creates the profiles as this release does, and adds their warnings to {@code warnings}
     * @param plans creates the profiles as {@code run} does
     * @throws ConfigurationException if it is invalid
     * @throws io.policyscheduler.framework.plugin.Plugin.PluginException if the arguments of a plugin are invalid
     */
    static ConfigurationReport of(
            String text,
            String file,
            ReleaseOptions release,
            SchedulerFactory schedulers,
            List<String> warnings,
            Plans plans)
            throws ConfigurationException {
        SchedulerConfiguration configuration = release.reader().read(text, file);
        List<String> told = new ArrayList<>(unread(configuration, release));
        new ConfigurationValidator().check(configuration);
        if (configuration.version() != ConfigVersion.V1ALPHA1) {
            Optional<Release> reading = release.given().filter(configuration.version()::isReadBy);
            SchedulerFactory ofRelease = reading.isPresent() ? schedulers.as(reading.get()) : schedulers;
            for (ProfileConfiguration profile : configuration.profiles()) {
                ofRelease.configured(file, text, file, profile.schedulerName());
            }
            warnings.stream()
                    .filter(warning -> !told.contains(warning))
                    .distinct()
                    .toList()
                    .forEach(told::add);
        }
        List<String> ofPlan = new ArrayList<>();
        List<ProfileSettings> profiles = plans.profiles(configuration, ofPlan);
        ofPlan.stream().filter(warning -> !told.contains(warning)).forEach(told::add);
        return new ConfigurationReport(configuration, profiles, told);
    }

    /**
     * Returns W210 if the kube-scheduler of {@code --release} does not read the version, although this scheduler does.
     *
     * @throws ConfigurationException if profiles follow that release, which then rejects the file
     */
    private static List<String> unread(SchedulerConfiguration configuration, ReleaseOptions options)
            throws ConfigurationException {
        ConfigVersion version = configuration.version();
        Release release = options.given().orElse(null);
        if (release == null || version.isReadBy(release) || release.compareTo(Release.NEWEST) > 0) {
            return List.of();
        }
        String message = "kube-scheduler " + release + " does not read " + version.version() + " ("
                + (version == ConfigVersion.V1 ? "since " + version.first() : version.first() + " to " + version.last())
                + "); it reads " + ConfigVersion.usual(release).version();
        SourcePosition place = configuration.positions().nearest("apiVersion");
        if (ConfigVersion.V1.isReadBy(release) && version != ConfigVersion.V1ALPHA1) {
            throw new ConfigurationException(List.of(Problem.at("C002", message, configuration.file(), place)));
        }
        return List.of(new Warning("W210", message, place).line(configuration.file()));
    }

    /** @param explain adds the plugins of each profile by extension point */
    void print(String file, PrintWriter out, boolean explain) {
        if (configuration == null) {
            out.println(file + ": accepted: " + profiles.get(0).composition());
        } else {
            out.println(file + ": accepted: " + configuration.version().apiVersion() + ", "
                    + counted(configuration.profiles().size(), "profile") + " (" + String.join(", ", names()) + "), "
                    + counted(configuration.extenders().size(), "extender") + ", "
                    + counted(warnings.size(), "warning"));
        }
        warnings.forEach(out::println);
        if (explain || configuration == null) {
            for (ProfileSettings profile : profiles) {
                out.println();
                if (configuration != null) {
                    out.println("Profile " + profile.schedulerName() + ":");
                }
                profile.source().plugins().table().print(out);
            }
        }
    }

    private static String counted(int count, String noun) {
        return count + " " + noun + (count == 1 ? "" : "s");
    }

    /** @param explain adds the plugins of each profile by extension point */
    void addTo(ObjectNode node, boolean explain) {
        if (configuration != null) {
            node.put("apiVersion", configuration.version().apiVersion());
        }
        ArrayNode shown = node.putArray("profiles");
        names().forEach(shown::add);
        if (explain || configuration == null) {
            ArrayNode plugins = node.putArray("plugins");
            for (ProfileSettings profile : profiles) {
                int before = plugins.size();
                profile.source().plugins().addTo(plugins);
                for (int i = before; i < plugins.size(); i++) {
                    ((ObjectNode) plugins.get(i)).put("profile", profile.schedulerName());
                }
            }
        }
        ArrayNode list = node.putArray("warnings");
        for (Warning warning : configuration == null ? List.<Warning>of() : configuration.warnings()) {
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
        return configuration == null
                ? profiles.stream().map(ProfileSettings::schedulerName).toList()
                : configuration.profiles().stream()
                        .map(ProfileConfiguration::schedulerName)
                        .toList();
    }
}
