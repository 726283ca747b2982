import { cachedCLibrary } from '../../../src/engines/embedded-mongo/c-library/c-library';
import { findDebianArchive } from '../../../src/engines/embedded-mongo/c-library/debian-archive';
import { downloadEnvironment } from '../../../src/config/environment';
import { engineHost } from '../../../src/infrastructure/mongo/embedded-engine';
import { findProcessor } from '../../../src/engines/embedded-mongo/c-library/glibc';

/** Installs the C library in a cache folder; prints its progress and finally its path. */
const [, , cacheFolder = '', codename = ''] = process.argv;
const print = (message: string) => console.log(message);

void cachedCLibrary({
  cacheFolder,
  archive: async () => (await findDebianArchive(codename, downloadEnvironment())) ?? 'no archive',
  processor: findProcessor(process.arch)!,
  host: engineHost({ info: print, warn: print, error: print }),
}).then(print);
