import { offsetAt } from './zone-clock';

/** Present names of time zones, each with the names it has replaced (tz database, 2025b). */
const NAMES = `
  Africa/Asmara: Africa/Asmera
  Africa/Bamako: Africa/Timbuktu
  Africa/Cairo: Egypt
  Africa/Tripoli: Libya
  America/Adak: America/Atka US/Aleutian
  America/Anchorage: US/Alaska
  America/Argentina/Buenos_Aires: America/Buenos_Aires
  America/Argentina/Catamarca: America/Argentina/ComodRivadavia America/Catamarca
  America/Argentina/Cordoba: America/Cordoba America/Rosario
  America/Argentina/Jujuy: America/Jujuy
  America/Argentina/Mendoza: America/Mendoza
  America/Atikokan: America/Coral_Harbour
  America/Chicago: CST6CDT US/Central
  America/Denver: America/Shiprock MST7MDT Navajo US/Mountain
  America/Detroit: US/Michigan
  America/Edmonton: America/Yellowknife Canada/Mountain
  America/Halifax: Canada/Atlantic
  America/Havana: Cuba
  America/Indiana/Indianapolis: America/Fort_Wayne America/Indianapolis US/East-Indiana
  America/Indiana/Knox: America/Knox_IN US/Indiana-Starke
  America/Iqaluit: America/Pangnirtung
  America/Jamaica: Jamaica
  America/Kentucky/Louisville: America/Louisville
  America/Los_Angeles: PST8PDT US/Pacific US/Pacific-New
  America/Manaus: Brazil/West
  America/Mazatlan: Mexico/BajaSur
  America/Mexico_City: Mexico/General
  America/New_York: EST5EDT US/Eastern
  America/Noronha: Brazil/DeNoronha
  America/Nuuk: America/Godthab
  America/Panama: EST
  America/Phoenix: MST US/Arizona
  America/Regina: Canada/Saskatchewan
  America/Rio_Branco: America/Porto_Acre Brazil/Acre
  America/Santiago: Chile/Continental
  America/Sao_Paulo: Brazil/East
  America/St_Johns: Canada/Newfoundland
  America/St_Thomas: America/Virgin
  America/Tijuana: America/Ensenada America/Santa_Isabel Mexico/BajaNorte
  America/Toronto: America/Montreal America/Nipigon America/Thunder_Bay Canada/Eastern
  America/Vancouver: Canada/Pacific
  America/Whitehorse: Canada/Yukon
  America/Winnipeg: America/Rainy_River Canada/Central
  Antarctica/McMurdo: Antarctica/South_Pole
  Arctic/Longyearbyen: Atlantic/Jan_Mayen
  Asia/Ashgabat: Asia/Ashkhabad
  Asia/Dhaka: Asia/Dacca
  Asia/Ho_Chi_Minh: Asia/Saigon
  Asia/Hong_Kong: Hongkong
  Asia/Jerusalem: Asia/Tel_Aviv Israel
  Asia/Kathmandu: Asia/Katmandu
  Asia/Kolkata: Asia/Calcutta
  Asia/Macau: Asia/Macao
  Asia/Makassar: Asia/Ujung_Pandang
  Asia/Nicosia: Europe/Nicosia
  Asia/Seoul: ROK
  Asia/Shanghai: Asia/Chongqing Asia/Chungking Asia/Harbin PRC
  Asia/Singapore: Singapore
  Asia/Taipei: ROC
  Asia/Tehran: Iran
  Asia/Thimphu: Asia/Thimbu
  Asia/Tokyo: Japan
  Asia/Ulaanbaatar: Asia/Choibalsan Asia/Ulan_Bator
  Asia/Urumqi: Asia/Kashgar
  Asia/Yangon: Asia/Rangoon
  Atlantic/Faroe: Atlantic/Faeroe
  Atlantic/Reykjavik: Iceland
  Australia/Adelaide: Australia/South
  Australia/Brisbane: Australia/Queensland
  Australia/Broken_Hill: Australia/Yancowinna
  Australia/Darwin: Australia/North
  Australia/Hobart: Australia/Currie Australia/Tasmania
  Australia/Lord_Howe: Australia/LHI
  Australia/Melbourne: Australia/Victoria
  Australia/Perth: Australia/West
  Australia/Sydney: Australia/ACT Australia/Canberra Australia/NSW
  Etc/GMT: Etc/GMT+0 Etc/GMT-0 Etc/GMT0 Etc/Greenwich GMT+0 GMT-0 GMT0 Greenwich
  Etc/UTC: Etc/UCT Etc/Universal Etc/Zulu UCT Universal Zulu
  Europe/Athens: EET
  Europe/Brussels: CET MET
  Europe/Chisinau: Europe/Tiraspol
  Europe/Dublin: Eire
  Europe/Istanbul: Asia/Istanbul Turkey
  Europe/Kyiv: Europe/Kiev Europe/Uzhgorod Europe/Zaporozhye
  Europe/Lisbon: Portugal WET
  Europe/London: Europe/Belfast GB GB-Eire
  Europe/Moscow: W-SU
  Europe/Warsaw: Poland
  Pacific/Auckland: NZ
  Pacific/Chatham: NZ-CHAT
  Pacific/Chuuk: Pacific/Truk Pacific/Yap
  Pacific/Easter: Chile/EasterIsland
  Pacific/Honolulu: HST Pacific/Johnston US/Hawaii
  Pacific/Kanton: Pacific/Enderbury
  Pacific/Kwajalein: Kwajalein
  Pacific/Pago_Pago: Pacific/Samoa US/Samoa
  Pacific/Pohnpei: Pacific/Ponape
`;

const pairs = NAMES.trim()
  .split('\n')
  .flatMap((line) => {
    const [present = '', retired = ''] = line.trim().split(': ');
    return retired.split(' ').map((name) => [name, present] as const);
  });

/** The present name of each retired one. */
export const RETIRED_ZONES: ReadonlyMap<string, string> = new Map(pairs);

/** Names without a region that are no retired ones. */
const PLAIN = ['UTC', 'GMT'];
const folded = new Map(
  [...PLAIN, ...RETIRED_ZONES.keys(), ...RETIRED_ZONES.values()].map((name) => [fold(name), name]),
);

/**
 * The present IANA name of a time zone, or null when there is no such zone: a present name is
 * answered as given, a retired one under its present name (docs/contract.md#9.1). Case does not matter.
 */
export function timeZoneName(input: string): string | null {
  const known = folded.get(fold(input));
  if (known !== undefined) return RETIRED_ZONES.get(known) ?? known;
  // What the tz database names without a region is in the table; the rest are inventions of ICU.
  if (!/^[A-Za-z]+\/[A-Za-z0-9_+/-]+$/.test(input) || /^systemv/i.test(input)) return null;
  const canonical = canonicalName(input);
  if (canonical === null) return null;
  return fold(canonical) === fold(input) ? canonical : input;
}

function canonicalName(input: string): string | null {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: input }).resolvedOptions().timeZone;
  } catch {
    return null;
  }
}

function fold(name: string): string {
  return name.toLowerCase();
}

const MINUTE_MS = 60_000;

/** ISO text of an instant with the offset of a zone, `Z` for UTC (docs/contract.md#1). */
export function zonedIso(at: number, zone: string): string {
  if (zone === 'UTC') return new Date(at).toISOString();
  const offset = offsetAt(at, zone);
  const local = new Date(at + offset).toISOString().slice(0, -1);
  const minutes = Math.round(Math.abs(offset) / MINUTE_MS);
  const two = (value: number): string => String(value).padStart(2, '0');
  return `${local}${offset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}
