/**
 * What every role of a deployment may do, read from the catalogs and not from the grants, so that the effect of a grant, of
 * a default and of PUBLIC is seen as a diff. Everything in the schema is named for every role, also what it may not touch.
 */
import { PROCESSES, roleName, type Process } from '../processes.ts';
import type { Queryable } from './pool.ts';

const TABLE_PRIVILEGES = [
  'select',
  'insert',
  'update',
  'delete',
  'truncate',
  'references',
  'trigger',
];
const COLUMN_PRIVILEGES = new Set(['select', 'insert', 'update', 'references']);

/** Prints the privileges of each process's role, one object a line. */
export async function printPrivileges(db: Queryable, deployment: string): Promise<string> {
  const parts: string[] = [];
  for (const process of PROCESSES) parts.push(await printRole(db, deployment, process));
  return `${parts.join('\n\n')}\n`;
}

async function printRole(db: Queryable, deployment: string, process: Process): Promise<string> {
  const role = roleName(deployment, process);
  const lines = [
    ...(await readSchema(db, deployment, role)),
    ...(await readTables(db, deployment, role)),
    ...(await readNamed(db, SEQUENCES, deployment, role)),
    ...(await readNamed(db, FUNCTIONS, deployment, role)),
  ];
  const nothing = lines.filter((line) => line.may === '').map((line) => line.object);
  return [
    `role ${process}`,
    ...lines.filter((line) => line.may !== '').map((line) => `  ${line.object}: ${line.may}`),
    ...nothing.map((object) => `  ${object}: -`),
  ].join('\n');
}

interface Line {
  object: string;
  /** Empty: nothing. */
  may: string;
}

const SEQUENCES = `
  select 'sequence ' || c.relname as object, concat_ws(', ',
    case when has_sequence_privilege($2, c.oid, 'usage') then 'usage' end,
    case when has_sequence_privilege($2, c.oid, 'select') then 'select' end,
    case when has_sequence_privilege($2, c.oid, 'update') then 'update' end) as may
  from pg_class c where c.relnamespace = $1::regnamespace and c.relkind = 'S' order by c.relname`;
const FUNCTIONS = `
  select format('function %s(%s)', p.proname, pg_get_function_identity_arguments(p.oid)) as object,
    case when has_function_privilege($2, p.oid, 'execute')
      then case when p.prosecdef then 'execute with the rights of its owner' else 'execute' end else '' end as may
  from pg_proc p where p.pronamespace = $1::regnamespace order by p.proname, 1`;

async function readNamed(
  db: Queryable,
  sql: string,
  schema: string,
  role: string,
): Promise<Line[]> {
  const { rows } = await db.query<{ object: string; may: string }>(sql, [schema, role]);
  return rows;
}

async function readSchema(db: Queryable, schema: string, role: string): Promise<Line[]> {
  const { rows } = await db.query<{ may: string }>(
    `select concat_ws(', ', case when has_schema_privilege($2, $1, 'usage') then 'usage' end,
       case when has_schema_privilege($2, $1, 'create') then 'create' end) as may`,
    [schema, role],
  );
  return rows.map(({ may }) => ({ object: 'the schema', may }));
}

async function readTables(db: Queryable, schema: string, role: string): Promise<Line[]> {
  const { rows } = await db.query<{
    table: string;
    columns: string[];
    privileges: Record<string, boolean>;
    byColumn: Record<string, string[]>;
  }>(
    `select c.relname as table,
       (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       (select jsonb_object_agg(p, has_table_privilege($2, c.oid, p)) from unnest($3::text[]) p) as privileges,
       (select jsonb_object_agg(p, (
          select coalesce(jsonb_agg(a.attname order by a.attnum), '[]') from pg_attribute a
          where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
            and has_column_privilege($2, c.oid, a.attnum, p)))
        from unnest($4::text[]) p) as "byColumn"
     from pg_class c where c.relnamespace = $1::regnamespace and c.relkind in ('r', 'v', 'm', 'p') order by c.relname`,
    [schema, role, TABLE_PRIVILEGES, [...COLUMN_PRIVILEGES]],
  );
  return rows.map((row) => ({
    object: row.table,
    may: TABLE_PRIVILEGES.flatMap((privilege) => {
      if (row.privileges[privilege] === true) return [privilege];
      const columns = row.byColumn[privilege] ?? [];
      return columns.length === 0 ? [] : [`${privilege} (${columns.join(', ')})`];
    }).join('; '),
  }));
}
