import { refusedField } from '../../test/support/shared/refused-field';
import { CreateDomainDto, UpdateDomainDto } from './domain.dto';

describe('The body of a domain', () => {
  it.each<[object, string | null]>([
    [{ fqdn: 'links.example.com' }, null],
    [{}, 'fqdn'],
    [{ fqdn: '' }, 'fqdn'],
    [{ fqdn: 5 }, 'fqdn'],
    [{ fqdn: null }, 'fqdn'],
    [{ fqdn: `${'a.'.repeat(126)}com` }, 'fqdn'],
  ])('%j is rejected at %s in POST', async (body, field) => {
    expect(await refusedField(CreateDomainDto, body)).toBe(field);
  });

  it.each<[object, string | null]>([
    [{}, null],
    [{ root_redirect: null, app_links: null }, null],
    [{ not_found_redirect: `https://example.org/${'x'.repeat(2028)}` }, null],
    [{ app_links: { apple: { applinks: { 'a.b': 1 } }, android: [{ $a: '<' }] } }, null],
    [{ root_redirect: 5 }, 'root_redirect'],
    [{ not_found_redirect: `https://example.org/${'x'.repeat(2029)}` }, 'not_found_redirect'],
    [{ custom_robots_txt: 5 }, 'custom_robots_txt'],
    [{ custom_robots_txt: 'x'.repeat(4097) }, 'custom_robots_txt'],
    [{ is_default: 'yes' }, 'is_default'],
    [{ app_links: [] }, 'app_links'],
    [{ app_links: { apple: [] } }, 'app_links'],
    [{ app_links: { android: {} } }, 'app_links'],
    [{ app_links: { others: null } }, 'app_links'],
    [{ app_links: { android: ['x'.repeat(16_384)] } }, 'app_links'],
  ])('%j is rejected at %s in PATCH', async (body, field) => {
    expect(await refusedField(UpdateDomainDto, body)).toBe(field);
  });
});
