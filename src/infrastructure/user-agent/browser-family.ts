/** Families that desktops and phones have in common; the others say by their name where they run. */
const SHARED_FAMILIES = new Set(['Chrome', 'Edge', 'Firefox', 'Opera', 'Safari']);
const MOBILE_SYSTEMS = new Set(['Android', 'iOS']);

/** Whether the browsers of a system are told apart from those of desktops. */
export function isMobileSystem(os: string | null): boolean {
  return os !== null && MOBILE_SYSTEMS.has(os);
}

/**
 * The name of a browser on a mobile system (docs/contract.md#8.4): `Mobile Safari`, and alike
 * `Mobile Chrome`. A name that is one already stays as it is.
 */
export function mobileFamily(browser: string): string {
  return SHARED_FAMILIES.has(browser) ? `Mobile ${browser}` : browser;
}
