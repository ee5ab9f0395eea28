package io.policyscheduler.framework.config.setting;

import java.time.Duration;

/**
 * Settings that left the top level of the configuration after {@code v1alpha2}; later versions have the defaults here.
 *
 * @param hardPodAffinitySymmetricWeight {@code v1alpha1} only; later an argument of InterPodAffinity
 * @param disablePreemption later the plugin DefaultPreemption
 * @param bindTimeout wait for volumes to be bound; 0 waits for ever, negative checks once; later an argument of VolumeBinding
 */
public record RetiredSettings(int hardPodAffinitySymmetricWeight, boolean disablePreemption, Duration bindTimeout) {}
