package io.policyscheduler.framework.config;

import io.policyscheduler.engine.document.Problem;
import io.policyscheduler.engine.document.QualifiedNames;
import io.policyscheduler.engine.document.SourcePosition;
import io.policyscheduler.engine.extender.ExtenderConfig;
import io.policyscheduler.engine.extender.ExtenderConfig.ManagedResource;
import io.policyscheduler.framework.config.setting.BindAddress;
import io.policyscheduler.framework.config.setting.ConfigVersion;
import io.policyscheduler.framework.config.setting.LeaderElectionSettings;
import io.policyscheduler.framework.config.setting.Setting;
import io.policyscheduler.framework.config.setting.Settings;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds all invalid values of a configuration, mirrors {@code ValidateKubeSchedulerConfiguration} in texts, paths and order.
 * What plugins refuse when they are built is found here too, with the words that they have then.
 */
public final class ConfigurationValidator {
    /** Those that Kubernetes looks at, at their place in its order. */
    private static final Set<Setting> IN_ORDER = Set.of(
            Settings.BURST, Settings.PARALLELISM, Settings.HARD_WEIGHT, Settings.PERCENTAGE, Settings.INITIAL_BACKOFF);

    /**
     * Every problem, in the order of Kubernetes; empty if the configuration is valid. What plugins refuse is told when nothing
     * else is wrong.
     */
    public List<Problem> validate(SchedulerConfiguration configuration) {
        return errors(configuration).all();
    }

    private static FieldErrors errors(SchedulerConfiguration configuration) {
        FieldErrors errors = new FieldErrors(configuration);
        if (configuration.version() == ConfigVersion.V1ALPHA1) {
            v1alpha1(configuration, errors);
        } else {
            profiled(configuration, errors);
        }
        others(configuration, errors);
        return errors;
    }

    /**
     * Validates a configuration.
     *
     * @throws ConfigurationException with the problems that {@link #validate} tells, if there is one
     */
    public void check(SchedulerConfiguration configuration) throws ConfigurationException {
        errors(configuration).check();
    }

    private static void others(SchedulerConfiguration configuration, FieldErrors errors) {
        for (Setting setting : Settings.all()) {
            String given = configuration.given().get(setting.field());
            if (given != null && setting.range() != null && !IN_ORDER.contains(setting)) {
                range(setting, Long.parseLong(given), errors);
            }
        }
    }

    private static void v1alpha1(SchedulerConfiguration configuration, FieldErrors errors) {
        client(configuration, errors);
        leaderElection(configuration, "leaderElectionConfiguration", errors);
        if (configuration.profiles().get(0).schedulerName().isEmpty()) {
            errors.required("schedulerName", "");
        }
        addresses(configuration, errors);
        range(Settings.HARD_WEIGHT, configuration.retired().hardPodAffinitySymmetricWeight(), errors);
        backoffAndPercentage(configuration, errors);
    }

    private static void profiled(SchedulerConfiguration configuration, FieldErrors errors) {
        client(configuration, errors);
        leaderElection(configuration, "leaderElection", errors);
        if (configuration.version().atLeast(ConfigVersion.V1BETA3)
                && configuration.leaderElection().leaderElect()
                && !configuration.leaderElection().resourceLock().equals("leases")) {
            errors.invalid(
                    "leaderElection.resourceLock",
                    configuration.leaderElection().resourceLock(),
                    "resourceLock value must be \"leases\"");
        }
        range(Settings.PARALLELISM, configuration.parallelism(), errors);
        profiles(configuration, errors);
        addresses(configuration, errors);
        backoffAndPercentage(configuration, errors);
        extenders(configuration, errors);
    }

    private static void client(SchedulerConfiguration configuration, FieldErrors errors) {
        range(Settings.BURST, configuration.clientConnection().burst(), errors);
    }

    private static void leaderElection(SchedulerConfiguration configuration, String path, FieldErrors errors) {
        LeaderElectionSettings election = configuration.leaderElection();
        if (!election.leaderElect()) {
            return;
        }
        boolean old = configuration.version() == ConfigVersion.V1ALPHA1;
        positive(path + ".leaseDuration", election.leaseDuration(), errors);
        positive(path + ".renewDeadline", election.renewDeadline(), errors);
        positive(path + ".retryPeriod", election.retryPeriod(), errors);
        int order = election.leaseDuration().compareTo(election.renewDeadline());
        if (order < 0 || (order == 0 && !old)) {
            // Kubernetes prints the renew deadline here, although the path is that of the lease duration.
            errors.invalid(
                    path + ".leaseDuration",
                    election.renewDeadline(),
                    old ? "LeaseDuration must be greater than RenewDeadline" : "must be greater than `RenewDeadline`");
        }
    }

    private static void positive(String path, Duration value, FieldErrors errors) {
        if (value.isNegative() || value.isZero()) {
            errors.invalid(path, value, "must be greater than zero");
        }
    }

    private static void addresses(SchedulerConfiguration configuration, FieldErrors errors) {
        address("healthzBindAddress", configuration.healthzBindAddress(), errors);
        address("metricsBindAddress", configuration.metricsBindAddress(), errors);
    }

    private static void address(String path, @Nullable String address, FieldErrors errors) {
        if (address != null) {
            BindAddress.problems(address).forEach(problem -> errors.invalid(path, address, problem));
        }
    }

    private static void backoffAndPercentage(SchedulerConfiguration configuration, FieldErrors errors) {
        percentage(Settings.PERCENTAGE.field(), configuration.percentageOfNodesToScore(), errors);
        long initial = configuration.podInitialBackoffSeconds();
        long max = configuration.podMaxBackoffSeconds();
        range(Settings.INITIAL_BACKOFF, initial, errors);
        if (max < initial) {
            errors.invalid(Settings.MAX_BACKOFF.field(), max, Settings.LESS_THAN_INITIAL);
        }
    }

    private static void percentage(String path, @Nullable Integer value, FieldErrors errors) {
        if (value != null) {
            Settings.PERCENTAGE.problem(value).ifPresent(problem -> errors.invalid(path, value, problem));
        }
    }

    private static void range(Setting setting, long value, FieldErrors errors) {
        setting.problem(value).ifPresent(problem -> errors.invalid(setting.field(), value, problem));
    }

    private static void profiles(SchedulerConfiguration configuration, FieldErrors errors) {
        ProfileValidator validator = new ProfileValidator(configuration, errors);
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; i < configuration.profiles().size(); i++) {
            ProfileConfiguration profile = configuration.profiles().get(i);
            String path = "profiles[" + i + "]";
            if (profile.schedulerName().isEmpty()) {
                errors.required(path + ".schedulerName", "");
            }
            percentage(path + "." + Settings.PERCENTAGE.field(), profile.percentageOfNodesToScore(), errors);
            validator.validate(profile, path);
            Integer earlier = names.put(profile.schedulerName(), i);
            if (earlier != null) {
                // Kubernetes means this path too.
                errors.duplicateOf(path + ".schedulerName", "profiles[" + earlier + "].schedulerName");
            }
        }
        validator.queueSort();
    }

    private static void extenders(SchedulerConfiguration configuration, FieldErrors errors) {
        int binders = 0;
        Set<String> managed = new HashSet<>();
        for (int i = 0; i < configuration.extenders().size(); i++) {
            ExtenderConfig extender = configuration.extenders().get(i);
            String path = "extenders[" + i + "]";
            if (!extender.prioritizeVerb().isEmpty() && extender.weight() <= 0) {
                errors.invalid(path + ".weight", extender.weight(), "must have a positive weight applied to it");
            }
            binders += extender.bindVerb().isEmpty() ? 0 : 1;
            for (int j = 0; j < extender.managedResources().size(); j++) {
                ManagedResource resource = extender.managedResources().get(j);
                String namePath = path + ".managedResources[" + j + "].name";
                resourceProblems(resource.name())
                        .forEach(problem -> errors.invalid(namePath, resource.name(), problem));
                if (!managed.add(resource.name())) {
                    errors.invalid(namePath, resource.name(), "duplicate extender managed resource name");
                }
            }
        }
        if (binders > 1) {
            errors.invalid(
                    "extenders",
                    "found " + binders + " extenders implementing bind",
                    "only one extender can implement bind");
        }
        boolean noFit = configuration.profiles().stream()
                .anyMatch(profile ->
                        profile.argumentsOf(PluginNames.NODE_RESOURCES_FIT).isEmpty());
        if (noFit && !configuration.ignoredByScheduler().isEmpty()) {
            SourcePosition position = configuration.positions().nearest("extenders");
            errors.beforeStartup("can't find NodeResourcesFitArgs in plugin config", position);
        }
    }

    private static List<String> resourceProblems(String name) {
        List<String> problems = new ArrayList<>(QualifiedNames.problems(name));
        if (problems.isEmpty() && !QualifiedNames.isExtendedResource(name)) {
            problems.add("is an invalid extended resource name");
        }
        return problems;
    }
}
