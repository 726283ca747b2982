/** Explains an export's files to people and programs. */
export const EXPORT_README = `This archive contains the data of an account at Curtail, a link shortener.
Curtail can import it: choose "Curtail" as the source.

Files with the ending .ndjson have one JSON object per line. Times are texts in
ISO 8601 (UTC), or numbers of seconds since 1970. null means that a value is
missing.

manifest.json   The format, the release that wrote the archive, and the size,
                SHA-256 and number of lines of every other file.

account.json    user            the account
                providers       connected sign-in methods
                sessions        devices that are signed in
                keys            API keys, without their tokens
                tags            tags, with their numbers of links
                utm_templates   templates for campaign parameters
                domains         custom domains
                imports         imports from other services
                reports         links that you have reported
                webhooks        webhooks
                qr_logo         the logo for QR codes, a PNG in Base64

links.ndjson    One link per line, oldest first, with the fields of the API's
                list of links (see /docs at the service) except
                clicks_deleted_at, and with updated_at and qr, the style of its
                QR code. password_set is true if the link has a
                password; the password itself is not exported.

counts.ndjson   Clicks that other services have counted before an import:
                url_id          the id of the link in links.ndjson
                source, clicks, granularity, timezone, from, to
                                first line of a link: the service, the total,
                                the unit of time, its time zone and the period
                time, clicks    clicks in the unit that begins at this time
                dimension, value, clicks
                                clicks with this value, such as a country

clicks/         Recorded clicks of the first 10,000 links in 00001.ndjson, of
                the next 10,000 in 00002.ndjson, and so on:
                url_id          the id of the link in links.ndjson
                time            the time of the visit
                visitor         a number for the visitor; equal numbers in this
                                archive are the same visitor
                browser, os, device
                country, country_code, city
                referrer        the site that contained the link
                utm_source, utm_medium, utm_campaign
                audience        human, bot or preview
                bot_name        the name of the bot
                trigger         qr for scanned QR codes, otherwise link
                variant         the key of the rule or variant that decided
                                about the destination
                redirect_ms     the duration of the redirect in milliseconds

Passwords, keys, tokens and visitors' addresses are not in this archive.
`;
