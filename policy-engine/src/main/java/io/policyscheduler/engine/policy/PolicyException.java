package io.policyscheduler.engine.policy;

import com.google.common.collect.ImmutableList;
import io.policyscheduler.engine.document.Problem;
import java.util.List;

/** A Policy that is refused, with every problem found in the stage that refused it. */
public final class PolicyException extends Exception {
    private static final long serialVersionUID = 1L;

    private final String v117Message;
    private final transient ImmutableList<Problem> problems;

    /**
     * @param v117Message the text of kube-scheduler v1.17 for the same Policy, with its prefix
     * @param problems at least one problem, in file order where the stage has one
     */
    public PolicyException(String v117Message, List<Problem> problems) {
        super(v117Message);
        this.v117Message = v117Message;
        this.problems = ImmutableList.copyOf(problems);
    }

    /** What kube-scheduler v1.17 prints for this Policy, prefix included. */
    public String v117Message() {
        return v117Message;
    }

    /** All problems, each fit for one line of output. */
    public List<Problem> problems() {
        return problems;
    }
}
