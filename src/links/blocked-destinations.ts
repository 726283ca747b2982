import { readFileSync } from 'node:fs';
import vm from 'node:vm';
import { Injectable } from '@nestjs/common';
import { BlocklistOptions } from '../config/options';
import { AppLog } from '../core/log';

const PATTERN_MS = 50;

/**
 * The operator's list (contract 5.2): one regular expression a line, case-insensitive, `#` starts
 * a comment line. A pattern that runs out of its 50 ms counts as not matching.
 */
@Injectable()
export class BlockedDestinations {
  private readonly patterns: readonly vm.Script[];
  private readonly sandbox: vm.Context & { url: string };

  constructor(options: BlocklistOptions, log: AppLog) {
    this.sandbox = vm.createContext({ url: '' }) as vm.Context & { url: string };
    const lines = options.file === null ? [] : readFileSync(options.file, 'utf8').split(/\r?\n/);
    this.patterns = lines
      .map((line) => line.trim())
      .filter((line) => line !== '' && !line.startsWith('#'))
      .flatMap((line) => compile(line, log));
  }

  includes(url: string): boolean {
    this.sandbox.url = url;
    return this.patterns.some((pattern) => this.matches(pattern));
  }

  private matches(pattern: vm.Script): boolean {
    try {
      return pattern.runInContext(this.sandbox, { timeout: PATTERN_MS }) === true;
    } catch {
      return false;
    }
  }
}

function compile(line: string, log: AppLog): vm.Script[] {
  try {
    new RegExp(line, 'i');
    return [new vm.Script(`new RegExp(${JSON.stringify(line)}, 'i').test(url)`)];
  } catch {
    log.warn('A line of BLOCKED_URLS_FILE is no regular expression and is ignored', { line });
    return [];
  }
}
