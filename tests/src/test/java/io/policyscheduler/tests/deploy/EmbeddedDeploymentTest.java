package io.policyscheduler.tests.deploy;

import java.nio.file.Path;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.io.TempDir;

/** The manifests on the embedded cluster. */
class EmbeddedDeploymentTest {
    @Nested
    class Schedulers extends DeployedSchedulers {
        Schedulers(@TempDir Path folder) {
            super(folder, new EmbeddedRoleServer(folder));
        }
    }

    @Nested
    class Devices extends DeployedDevices {
        Devices(@TempDir Path folder) {
            super(folder, new EmbeddedRoleServer(folder));
        }
    }

    @Nested
    class Readers extends DeployedReaders {
        Readers(@TempDir Path folder) {
            super(folder, new EmbeddedRoleServer(folder));
        }
    }

    @Nested
    class SecurePort extends DeployedSecurePort {
        SecurePort(@TempDir Path folder) {
            super(folder, new EmbeddedRoleServer(folder));
        }
    }
}
