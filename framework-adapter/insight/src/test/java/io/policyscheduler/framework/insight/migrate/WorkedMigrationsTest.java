package io.policyscheduler.framework.insight.migrate;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import io.policyscheduler.framework.config.ConfigVersion;
import io.policyscheduler.framework.config.ProfilePlugins.EffectivePlugins;
import io.policyscheduler.framework.config.SchedulerConfiguration;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration;
import io.policyscheduler.framework.insight.migrate.Migrator.Migration.Layout;
import io.policyscheduler.framework.insight.migrate.Migrator.Options;
import io.policyscheduler.framework.plugin.ExtensionPoint;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Migrations have the same plugins, weights, and arguments as configurations that were written by hand for the policies. */
class WorkedMigrationsTest {
    private static final String DEFAULT_PROVIDER = "";

    private static Migration migrate(String policy, MigrationTarget target, boolean acceptDefaults) {
        Options defaults = Options.DEFAULTS;
        Options options = new Options(
                defaults.schedulerName(), acceptDefaults, false, defaults.extenderUrl(), defaults.extenderPolicyFile());
        return policy.equals(DEFAULT_PROVIDER)
                ? Migrations.migrateProvider("DefaultProvider", target, options)
                : Migrations.migrateStrictly(policy, target, options);
    }

    /** The order of filters decides which reason is reported; at other points it has no effect. */
    private static Map<ExtensionPoint, Object> comparable(EffectivePlugins plugins) {
        Map<ExtensionPoint, Object> points = new TreeMap<>();
        for (ExtensionPoint point : ExtensionPoint.values()) {
            List<String> names = plugins.at(point);
            points.put(point, point == ExtensionPoint.FILTER ? names : new TreeSet<>(names));
        }
        points.put(ExtensionPoint.SCORE, new TreeMap<>(plugins.scoreWeights()));
        return points;
    }

    private static Map<String, Object> argumentsOf(SchedulerConfiguration configuration, EffectivePlugins plugins) {
        Map<String, Object> arguments = new TreeMap<>();
        Set<String> used = new TreeSet<>();
        plugins.points().values().forEach(used::addAll);
        for (String plugin : used) {
            configuration.profiles().get(0).argumentsOf(plugin).ifPresent(found -> arguments.put(plugin, found.args()));
        }
        return arguments;
    }

    static Stream<Arguments> examples() {
        String folder = "/io/policyscheduler/framework/config/";
        MigrationTarget v1 = Migrations.target(ConfigVersion.V1, 34);
        MigrationTarget v1beta1 = Migrations.target(ConfigVersion.V1BETA1);
        String most = Migrations.resource("most-requested.json");
        return Stream.of(
                arguments(DEFAULT_PROVIDER, v1, false, Layout.DEFAULTS, folder + "legacy-weights.yaml"),
                arguments(DEFAULT_PROVIDER, v1, true, Layout.DEFAULTS, folder + "default-provider.yaml"),
                arguments(
                        "{\"kind\":\"Policy\",\"apiVersion\":\"v1\"}",
                        v1,
                        false,
                        Layout.DEFAULTS,
                        folder + "legacy-weights.yaml"),
                arguments(
                        Migrations.resource("default-list.json"),
                        v1,
                        false,
                        Layout.DEFAULTS,
                        folder + "legacy-weights.yaml"),
                arguments(most, v1, false, Layout.MULTI_POINT, folder + "most-requested.yaml"),
                arguments(most, v1, false, Layout.MULTI_POINT, folder + "most-requested-multipoint.yaml"),
                arguments(most, v1beta1, false, Layout.POINTS, folder + "labels-v1beta1.yaml"),
                arguments(
                        Migrations.resource("gpu-bin-packing.json"),
                        v1,
                        false,
                        Layout.POINTS,
                        folder + "gpu-bin-packing.yaml"));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void comesToTheSame(
            String policy, MigrationTarget target, boolean acceptDefaults, Layout layout, String expectedFile) {
        Migration migration = migrate(policy, target, acceptDefaults);
        SchedulerConfiguration actual = Migrations.read(migration);
        SchedulerConfiguration expected = Migrations.read(
                Migrations.resource(expectedFile), migration.target().release());
        EffectivePlugins actualPlugins = Migrations.expand(actual, target);
        EffectivePlugins expectedPlugins = Migrations.expand(expected, target);
        assertAll(
                () -> assertEquals(layout, migration.layout()),
                () -> assertEquals(comparable(expectedPlugins), comparable(actualPlugins)),
                () -> assertEquals(
                        argumentsOf(expected, expectedPlugins).toString(),
                        argumentsOf(actual, actualPlugins).toString()));
        if (!expected.extenders().isEmpty()) {
            assertEquals(withoutPositions(expected), withoutPositions(actual));
        }
    }

    private static String withoutPositions(SchedulerConfiguration configuration) {
        return configuration.extenders().toString().replaceAll("[pP]osition=[0-9:?]+", "");
    }

    /** The order of the lists of the hand-made configuration, where it is that of the evaluation in 1.17. */
    @ParameterizedTest
    @MethodSource("examples")
    void preFiltersRunInTheOrderOfFilters(
            String policy, MigrationTarget target, boolean acceptDefaults, Layout layout, String expectedFile) {
        EffectivePlugins plugins = Migrations.plugins(migrate(policy, target, acceptDefaults));
        List<String> filters = plugins.at(ExtensionPoint.FILTER).stream()
                .filter(plugin -> plugins.at(ExtensionPoint.PRE_FILTER).contains(plugin))
                .toList();
        if (layout != Layout.DEFAULTS) {
            assertEquals(filters, plugins.at(ExtensionPoint.PRE_FILTER));
        }
        assertFalse(filters.isEmpty());
    }
}
