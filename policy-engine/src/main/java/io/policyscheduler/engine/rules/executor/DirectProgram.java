package io.policyscheduler.engine.rules.executor;

import io.policyscheduler.engine.cluster.node.NodeInfo;
import io.policyscheduler.engine.cluster.object.PodInfo;
import io.policyscheduler.engine.rules.compiler.Part;
import io.policyscheduler.engine.rules.compiler.PartValue;
import io.policyscheduler.engine.rules.compiler.Term;
import io.policyscheduler.engine.rules.compiler.Term.Constant;
import io.policyscheduler.engine.rules.data.Meter;
import io.policyscheduler.engine.rules.data.ClusterCounts;
import org.jspecify.annotations.Nullable;

/** A checked rule as objects that ask each other, one for each term. */
public final class DirectProgram implements Executable {
    private final Code code;
    private final int slots;
    private final int memos;

    private DirectProgram(Code code, int slots, int memos) {
        this.code = code;
        this.slots = slots;
        this.memos = memos;
    }

    /** Makes a checked tree executable. */
    public static DirectProgram compile(Term term) {
        CodeBuilder builder = new CodeBuilder(true);
        Code code = builder.build(term);
        return new DirectProgram(code, CodeBuilder.slots(term), builder.memos());
    }

    @Override
    public Execution start(PodInfo pod, ClusterCounts counts, Meter meter) {
        return new Run(code, Frame.of(slots, memos, pod, counts, meter));
    }

    /**
     * What a scalar term of constants comes to.
     *
     * @throws io.policyscheduler.engine.rules.data.RuleFailure when it fails
     */
    public static Constant constant(Term term) {
        Code code = CodeBuilder.standalone(term);
        Frame frame = Frame.ofConstants();
        return switch (term.type()) {
            case BOOL -> Constant.of(code.bool(frame));
            case NUMBER -> Constant.of(code.number(frame));
            default -> Constant.of(code.string(frame));
        };
    }

    /** What every part comes to that counts. */
    public static PartValue trace(Part source, PodInfo pod, NodeInfo node, ClusterCounts counts, Meter meter) {
        Frame frame = Frame.of(Tracer.slots(source), 0, pod, counts, meter);
        frame.node(node);
        return Tracer.trace(source, frame);
    }

    private record Run(Code code, Frame frame) implements Execution {
        @Override
        public boolean bool(@Nullable NodeInfo node) {
            if (node != null) {
                frame.node(node);
            }
            return code.bool(frame);
        }

        @Override
        public double number(NodeInfo node) {
            frame.node(node);
            return code.number(frame);
        }
    }
}
