import { processEnvironment } from './environment';
import { MongoOptions } from './options';

/** What the primary hands to the recorder process. */
export interface RecorderSettings {
  mongo: MongoOptions;
  dataDir: string;
  /** GEOIP_DB; null for the bundled database. */
  geoipDb: string | null;
  /** VISITOR_KEY, or what was generated in its place. */
  visitorSecret: string;
}

const VARIABLE = 'CURTAIL_RECORDER';

/** The recorder's settings as an environment variable: arguments could be read by everybody. */
export function recorderEnvironment(settings: RecorderSettings): Record<string, string> {
  return { [VARIABLE]: JSON.stringify(settings) };
}

/** The settings of this process, which is the recorder. */
export function readRecorderSettings(): RecorderSettings {
  const value = processEnvironment()[VARIABLE];
  if (value === undefined) throw new Error(`${VARIABLE} is missing in the recorder process`);
  const settings = JSON.parse(value) as RecorderSettings;
  return { ...settings, mongo: new RecorderMongo(settings.mongo.uri, settings.mongo.embedded) };
}

class RecorderMongo extends MongoOptions {
  constructor(
    readonly uri: string,
    readonly embedded: boolean,
  ) {
    super();
  }
}
