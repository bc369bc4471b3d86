/**
 * The schema of a deployment as text, read from the catalogs and not from the migrations, so that a reviewer sees the
 * effect of a migration as a diff and CI sees a migration that does something else than it says.
 */
import type { Queryable } from './pool.ts';

/** Prints tables, constraints, indexes, policies, triggers and functions of the current schema, its name left out. */
export async function printSchema(db: Queryable, schema: string): Promise<string> {
  const sections = [
    ...(await printTables(db, schema)),
    ...(await printLines(
      db,
      schema,
      'select indexdef as line from pg_indexes where schemaname = $1 order by indexname',
    )),
    ...(await printLines(db, schema, POLICIES)),
    ...(await printLines(db, schema, TRIGGERS)),
    ...(await printLines(db, schema, FUNCTIONS)),
  ];
  return `${sections.join('\n\n').replaceAll(`${schema}.`, '').replaceAll(`'${schema}'`, "'SCHEMA'").replaceAll(schema, 'SCHEMA')}\n`;
}

const POLICIES = `
  select format('policy %s on %s for %s using (%s) with check (%s)', policyname, tablename, lower(cmd),
    coalesce(qual, '-'), coalesce(with_check, '-')) as line
  from pg_policies where schemaname = $1 order by tablename, policyname`;
const TRIGGERS = `
  select pg_get_triggerdef(t.oid) as line from pg_trigger t join pg_class c on c.oid = t.tgrelid
  join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = $1 and not t.tgisinternal order by c.relname, t.tgname`;
const FUNCTIONS = `
  select trim(trailing from pg_get_functiondef(p.oid)) as line from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = $1 order by p.proname`;

async function printLines(db: Queryable, schema: string, sql: string): Promise<string[]> {
  const { rows } = await db.query<{ line: string }>(sql, [schema]);
  return rows.map((row) => row.line);
}

async function printTables(db: Queryable, schema: string): Promise<string[]> {
  const { rows } = await db.query<{
    table: string;
    columns: string[];
    constraints: string[] | null;
    guarded: boolean;
  }>(
    `select c.relname as table, c.relrowsecurity as guarded,
       (select array_agg(format('  %s %s%s%s', a.attname, format_type(a.atttypid, a.atttypmod),
           case when a.attnotnull then ' not null' else '' end,
           coalesce(' default ' || pg_get_expr(d.adbin, d.adrelid), '')) order by a.attnum)
        from pg_attribute a left join pg_attrdef d on d.adrelid = c.oid and d.adnum = a.attnum
        where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped) as columns,
       (select array_agg(format('  %s %s', k.conname, pg_get_constraintdef(k.oid)) order by k.conname)
        from pg_constraint k where k.conrelid = c.oid and k.contype <> 'n') as constraints
     from pg_class c join pg_namespace n on n.oid = c.relnamespace
     where n.nspname = $1 and c.relkind = 'r' order by c.relname`,
    [schema],
  );
  return rows.map((row) =>
    [
      `table ${row.table}${row.guarded ? ' (row security)' : ''}`,
      ...row.columns,
      ...(row.constraints ?? []),
    ].join('\n'),
  );
}
