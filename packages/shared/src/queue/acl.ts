/**
 * The access list of Redis: one user per process, which reaches the keys of its own queues and the commands that queues
 * need, and nothing else. Producer and consumer of one queue run the same scripts over the same keys, so Redis cannot tell
 * them apart; that a job means nothing until Postgres agrees is what makes that bearable.
 */
import { createHash } from 'node:crypto';
import type { Process } from '../processes.ts';
import { roleName } from '../processes.ts';
import { QUEUE_NAMES, QUEUE_ROLES, queuePrefix, type QueueName } from './contracts.ts';

/** What bullmq calls as producer and worker. No SCAN: it would list the key names of every queue. */
const QUEUE_COMMANDS = (
  'auth hello ping quit info client|setname client|list multi exec eval evalsha exists del get set incr pexpire pttl hget ' +
  'hset hmget hmset hgetall hdel hexists hincrby lpush rpush lrange lindex llen lrem ltrim rpoplpush sadd srem scard ' +
  'smembers zadd zrem zcard zscore zrange zrangebyscore zrevrange zrevrangebyscore zremrangebyrank zpopmin bzpopmin xadd ' +
  'xread xtrim'
).split(' ');

/** What a dashboard calls. A script may be run, but inside it every writing command is refused. */
const VIEW_COMMANDS = (
  'auth hello ping quit info client|setname client|list multi exec eval evalsha exists get pttl hget hmget hgetall hexists ' +
  'lrange lindex llen scard smembers zcard zcount zscore zrange zrangebyscore zrevrange zrevrangebyscore xlen xrange ' +
  'xrevrange type'
).split(' ');

/** Which queues a process puts jobs into or takes jobs out of. */
export function queuesOf(process: Process): QueueName[] {
  return QUEUE_NAMES.filter((queue) => {
    const roles = QUEUE_ROLES[queue];
    return roles.consumer === process || roles.producers.includes(process);
  });
}

/** The rules of a process's Redis user, as the words that follow its name in an ACL file or in ACL SETUSER. */
export function aclRules(deployment: string, process: Process, password: string): string[] {
  const viewer = process === 'console' || process === 'operator';
  const queues = viewer ? QUEUE_NAMES : queuesOf(process);
  const commands = viewer ? VIEW_COMMANDS : QUEUE_COMMANDS;
  return [
    'reset',
    'on',
    `#${createHash('sha256').update(password).digest('hex')}`,
    ...queues.map((queue) => `~${queuePrefix(deployment, queue)}:*`),
    'resetchannels',
    '-@all',
    ...commands.map((command) => `+${command}`),
  ];
}

/** The name of a process's Redis user: the same as its database role. */
export const redisUserName = roleName;
