import { downloadEnvironment } from '../../config/environment';
import type { EngineHost } from '../../engines/embedded-mongo/c-library/engine-host';
import type { ProcessLogger } from '../../processes/child-process/child-messages';
import { acquireProcessLock } from '../../processes/process-lock';
import { LockHeldError } from '../../processes/processes.errors';

export function engineHost(logger: ProcessLogger): EngineHost {
  return {
    logger,
    environment: downloadEnvironment,
    lock: async (path, waitMs) => {
      try {
        return await acquireProcessLock(path, { waitMs });
      } catch (error) {
        if (error instanceof LockHeldError) return null;
        throw error;
      }
    },
  };
}
