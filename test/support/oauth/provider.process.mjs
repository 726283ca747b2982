import { createServer } from 'node:http';
import Provider from 'oidc-provider';

/**
 * A real OpenID provider in a separate process. The parent sends one `start` message, then one
 * `person` message per login; the login is the `sub`.
 */
const people = new Map();

function start({ issuer, port, clients, claimsInIdToken }) {
  const provider = new Provider(issuer, {
    clients,
    conformIdTokenClaims: !claimsInIdToken,
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'picture'] },
    cookies: { keys: ['a key of the tests'] },
    pkce: { required: () => true },
    findAccount: (_, sub) => {
      if (!people.has(sub)) return undefined;
      return { accountId: sub, claims: () => Promise.resolve({ sub, ...people.get(sub) }) };
    },
  });
  // Runs behind a proxy that injects faults, and trusts its forwarded headers.
  provider.proxy = true;
  const server = createServer(provider.callback());
  server.listen(port, '127.0.0.1', () => process.send({ listening: server.address().port }));
}

process.on('message', (message) => {
  if (message.start !== undefined) start(message.start);
  if (message.person === undefined) return;
  const { sub, ...claims } = message.person;
  people.set(sub, claims);
  process.send({ known: sub });
});
process.on('disconnect', () => process.exit(0));
