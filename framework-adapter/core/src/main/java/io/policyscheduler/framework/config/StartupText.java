package io.policyscheduler.framework.config;

import io.policyscheduler.engine.document.GoText;

/** What kube-scheduler puts before an error that it finds only when it builds its profiles. */
final class StartupText {
    private StartupText() {}

    static String profile(String schedulerName) {
        return "initializing profiles: creating profile for scheduler name " + schedulerName + ": ";
    }

    static String plugin(String schedulerName, String plugin) {
        return profile(schedulerName) + "initializing plugin " + GoText.quote(plugin) + ": ";
    }
}
