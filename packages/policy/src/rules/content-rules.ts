/** The rules that judge what lies in a tree. They bind the whole change and, each by itself, every commit of its history. */
import type { Rule } from '../rule.ts';
import { modes } from './d01-modes.ts';
import { execBit } from './d02-exec-bit.ts';
import { binary } from './d03-binary.ts';
import { caps } from './d04-caps.ts';
import { protectedPaths } from './d05-protected-paths.ts';
import { names } from './d06-names.ts';
import { hiddenUnicode } from './d07-hidden-unicode.ts';
import { secrets } from './d08-secrets.ts';

export const CONTENT_RULES: readonly Rule[] = [
  modes,
  execBit,
  binary,
  caps,
  protectedPaths,
  names,
  hiddenUnicode,
  secrets,
];
