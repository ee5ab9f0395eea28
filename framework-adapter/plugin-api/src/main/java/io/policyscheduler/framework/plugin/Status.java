package io.policyscheduler.framework.plugin;

import io.policyscheduler.engine.algorithm.FailureReason;
import io.policyscheduler.engine.algorithm.PodFilter.Verdict;
import java.util.ArrayList;
import java.util.List;

/**
 * The result of a plugin. Mirrors {@code Status} of {@code pkg/scheduler/framework/v1alpha1/interface.go}.
 *
 * @param code the kind of result
 * @param reasons texts for users, or the error's text; empty on success
 */
public record Status(Code code, List<String> reasons) {
    /** The kinds of results. */
    public enum Code {
        /** Success. */
        SUCCESS,
        /** An internal error; the attempt ends. */
        ERROR,
        /** Rejected; preemption may help. */
        UNSCHEDULABLE,
        /** Rejected; preemption cannot help. */
        UNSCHEDULABLE_AND_UNRESOLVABLE,
        /** Permit: wait. */
        WAIT,
        /** Skip the plugin for this pod. */
        SKIP,
        /** Rejected until something outside the cluster has happened; such pods skip the backoff when they are requeued. */
        PENDING
    }

    /** Success, shared. */
    public static final Status SUCCESS = new Status(Code.SUCCESS, List.of());

    /** Skip, shared. */
    public static final Status SKIP = new Status(Code.SKIP, List.of());

    /** Permit: wait; shared. */
    public static final Status WAIT = new Status(Code.WAIT, List.of());

    public Status {
        reasons = List.copyOf(reasons);
    }

    /** The status of the verdict of an algorithm. */
    public static Status of(Verdict verdict) {
        if (verdict.fits()) {
            return SUCCESS;
        }
        if (verdict.error() != null) {
            return error(verdict.error());
        }
        boolean resolvable = true;
        List<String> texts = new ArrayList<>(verdict.reasons().size());
        for (FailureReason reason : verdict.reasons()) {
            resolvable &= reason.resolvable();
            texts.add(reason.text());
        }
        return rejected(resolvable, texts);
    }

    /** An error with this text. */
    public static Status error(String text) {
        return new Status(Code.ERROR, List.of(text));
    }

    /** Rejected with this reason; removing pods may help. */
    public static Status unschedulable(String reason) {
        return new Status(Code.UNSCHEDULABLE, List.of(reason));
    }

    /** Rejected with this reason; removing pods cannot help. */
    public static Status unresolvable(String reason) {
        return new Status(Code.UNSCHEDULABLE_AND_UNRESOLVABLE, List.of(reason));
    }

    /** Rejected; {@code resolvable} is whether preemption may help. */
    public static Status rejected(boolean resolvable, List<String> reasons) {
        return new Status(resolvable ? Code.UNSCHEDULABLE : Code.UNSCHEDULABLE_AND_UNRESOLVABLE, reasons);
    }

    /** True for success. */
    public boolean isSuccess() {
        return code == Code.SUCCESS;
    }

    /** True for all kinds of rejection. */
    public boolean isRejected() {
        return code == Code.UNSCHEDULABLE || code == Code.UNSCHEDULABLE_AND_UNRESOLVABLE || code == Code.PENDING;
    }

    /** The reasons as one text; empty on success. */
    public String message() {
        return String.join(", ", reasons);
    }
}
