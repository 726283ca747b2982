/** Port to what is recorded of links; the analytics module stands behind it, joined at the top. */
export abstract class LinkClicks {
  /** Removes every click of these links; clicks recorded later belong to the caller's next call. */
  abstract remove(linkIds: readonly string[]): Promise<void>;
}
