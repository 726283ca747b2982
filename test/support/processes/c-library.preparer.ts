import { cachedCLibrary } from '../../../src/embedded-mongo/c-library/c-library';
import { findDebianArchive } from '../../../src/embedded-mongo/c-library/debian-archive';
import { processorOf } from '../../../src/embedded-mongo/c-library/glibc';

/** Prepares the C library in a cache folder; prints its progress and, last, where it lies. */
const [, , cacheFolder = '', codename = ''] = process.argv;
const print = (message: string) => console.log(message);

void cachedCLibrary({
  cacheFolder,
  archive: async () => (await findDebianArchive(codename)) ?? 'no archive',
  processor: processorOf(process.arch)!,
  logger: { info: print, warn: print, error: print },
}).then(print);
