package io.policyscheduler.cmd.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.Configurator;
import ch.qos.logback.classic.spi.ConfiguratorRank;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.Layout;
import ch.qos.logback.core.encoder.LayoutWrappingEncoder;
import ch.qos.logback.core.spi.ContextAwareBase;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/**
 * How this program logs before it is told otherwise: to stderr, a line of text each, from INFO on. Logback finds it by itself. A
 * configuration that is named by {@code -Dlogback.configurationFile} counts instead.
 */
@ConfiguratorRank(ConfiguratorRank.CUSTOM_TOP_PRIORITY)
public final class LogSetup extends ContextAwareBase implements Configurator {
    /** It tells of every start and stop. */
    private static final String SERVER = "org.eclipse.jetty";

    @Override
    public ExecutionStatus configure(LoggerContext context) {
        if (System.getProperty("logback.configurationFile") != null) {
            return ExecutionStatus.INVOKE_NEXT_IF_ANY;
        }
        ConsoleAppender<ILoggingEvent> stderr = new ConsoleAppender<>();
        stderr.setContext(context);
        stderr.setName("stderr");
        stderr.setTarget("System.err");
        write(stderr, new LogLines(ZoneId.systemDefault()));
        stderr.start();
        ch.qos.logback.classic.Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
        root.setLevel(Level.INFO);
        root.addAppender(stderr);
        context.getLogger(SERVER).setLevel(Level.WARN);
        return ExecutionStatus.DO_NOT_INVOKE_NEXT_IF_ANY;
    }

    /** The log of this process. */
    static LoggerContext log() {
        return (LoggerContext) LoggerFactory.getILoggerFactory();
    }

    /** Has what libraries tell to {@code java.util.logging} stand in the same log. */
    static void bridge() {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
    }

    /** Has an appender write its lines so from now on. */
    static void write(ConsoleAppender<ILoggingEvent> appender, Layout<ILoggingEvent> layout) {
        LayoutWrappingEncoder<ILoggingEvent> encoder = new LayoutWrappingEncoder<>();
        encoder.setContext(appender.getContext());
        encoder.setCharset(StandardCharsets.UTF_8);
        encoder.setLayout(layout);
        layout.start();
        encoder.start();
        appender.setEncoder(encoder);
    }
}
