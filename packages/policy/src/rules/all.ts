/** The rules that are on, in the order in which they are asked and shown. A rule that is not in this list does nothing. */
import type { Rule } from '../rule.ts';
import { CONTENT_RULES } from './content-rules.ts';
import { testsWeakened } from './d09-tests-weakened.ts';
import { history } from './d15-history.ts';

export const ALL_RULES: readonly Rule[] = [...CONTENT_RULES, testsWeakened, history];
