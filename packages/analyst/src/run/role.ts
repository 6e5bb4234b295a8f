import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto'
import { OperationFailed } from '@tidings/config'
import { type Grant, giveGrants, readGrants, transaction } from '@tidings/postgres'
import type { Pool, PoolClient } from 'pg'
import pg from 'pg'
import { SESSION_LIMITS } from './end-sessions.ts'

const { escapeIdentifier, escapeLiteral } = pg

/** A login of its own: nothing that the file's SQL does, `reset role` included, leads to another one. */
export type Login = Readonly<{ role: string; password: string; schema: string }>

type RoleRow = Readonly<{
  database: string
  login: string
  trusted: boolean
  limitsFiles: boolean
  exists: boolean
  powerful: boolean
  owner: string | null
}>

type AnalystRole = RoleRow & Readonly<{ role: string }>

const FIND = `
  select current_database() as database, current_user as login, me.rolsuper as trusted,
    has_parameter_privilege('temp_file_limit', 'set') as "limitsFiles", r.rolname is not null as exists,
    coalesce(r.rolsuper or r.rolcreaterole or r.rolbypassrls or r.rolreplication, false) as powerful,
    (select pg_get_userbyid(nspowner) from pg_namespace where nspname = $2) as owner
  from pg_roles me left join pg_roles r on r.rolname = $1 where me.rolname = current_user`

/** Roles are shared by all databases of a server: the name says which one it is for. */
const roleFor = (database: string, schema: string): string =>
  `${schema.slice(0, 40)}_${createHash('sha256').update(`${database}/${schema}`).digest('hex').slice(0, 12)}`

const find = async (tx: PoolClient, schema: string): Promise<AnalystRole> => {
  const { rows } = await tx.query<{ database: string }>('select current_database() as database')
  const role = roleFor(rows[0]?.database ?? '', schema)
  const found = await tx.query<RoleRow>(FIND, [role, schema])
  const [first] = found.rows
  if (first === undefined) throw new Error('the database does not say who is signed in')
  return { ...first, role }
}

const assertOurs = ({ role, owner, powerful }: AnalystRole, schema: string): void => {
  if (owner !== null && owner !== role)
    throw new OperationFailed(`Schema ${schema} was not made by \`projection run\`: choose another with --schema.`)
  if (powerful)
    throw new OperationFailed(`The role ${role} has been given rights beyond its schema: take them away, or choose another with --schema.`)
}

/** Says what an administrator has to do if a login may not do what is needed. */
const saying = (sentence: string) => (error: unknown) => {
  const denied = error instanceof Error && 'code' in error && error.code === '42501'
  throw denied ? new OperationFailed(sentence, { cause: error }) : error
}

const createRole = async (tx: PoolClient, { login, role, trusted, exists }: AnalystRole): Promise<void> => {
  const mayNot = saying(
    `The database login ${login} may not create roles, and a projection runs under one of its own: let an administrator run \`alter role ${escapeIdentifier(login)} createrole\`.`,
  )
  if (!exists) await tx.query(`create role ${escapeIdentifier(role)}`).catch(mayNot)
  // An owner of the schema who is no superuser has to be a member of its role.
  if (!exists && !trusted) await tx.query(`grant ${escapeIdentifier(role)} to current_user`).catch(mayNot)
}

/** A role that another login made, for an earlier database of the name, is not this one's to change. */
const setPassword = async (tx: PoolClient, { login, role }: AnalystRole, password: string): Promise<void> => {
  const [mine, its] = [escapeIdentifier(login), escapeIdentifier(role)]
  const mayNot = saying(
    `The role ${role} is there, and the database login ${login} may not use it: let an administrator run \`grant ${its} to ${mine} with admin option\`.`,
  )
  const verifier = escapeLiteral(scramVerifier(password))
  await tx.query(`alter role ${its} login connection limit 5 password ${verifier}`).catch(mayNot)
}

/**
 * The role can lift all but the limit of files for its own sessions. `watchSessions` ends those that run for too long; nothing bounds the memory that one asks for, so that
 * these are for files that ask for none. The limit of files is a superuser's to set, or a login's to whom one has granted it.
 */
const setLimits = async (tx: PoolClient, { role, limitsFiles }: AnalystRole): Promise<void> => {
  const { statementSeconds, transactionSeconds } = SESSION_LIMITS
  const settings = {
    statement_timeout: `${statementSeconds}s`,
    idle_in_transaction_session_timeout: `${statementSeconds}s`,
    transaction_timeout: `${transactionSeconds}s`,
    work_mem: '16MB',
    hash_mem_multiplier: '1',
    maintenance_work_mem: '64MB',
    // Each worker has a memory of its own.
    max_parallel_workers_per_gather: '0',
    max_parallel_maintenance_workers: '0',
    ...(limitsFiles && { temp_file_limit: '5GB' }),
  }
  const { rows } = await tx.query<{ name: string }>('select name from pg_settings where name = any ($1)', [Object.keys(settings)])
  for (const [name, value] of Object.entries(settings))
    if (rows.some((row) => row.name === name)) await tx.query(`alter role ${escapeIdentifier(role)} set ${name} = ${escapeLiteral(value)}`)
}

/** All that make one: what is in no schema would outlive `--restart`. */
const MAKE_LARGE_OBJECTS = ['lo_creat(integer)', 'lo_create(oid)', 'lo_from_bytea(oid, bytea)', 'lo_import(text)', 'lo_import(text, oid)']

/**
 * Refuses large objects to every login of the database but superusers: Tidings uses none. The functions are the server's, and a login without all
 * rights leaves them as they are.
 */
const refuseLargeObjects = async (tx: PoolClient, { role, trusted }: AnalystRole): Promise<void> => {
  if (!trusted) return
  await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', ['analyst large objects'])
  const { rows } = await tx.query<{ name: string }>(
    'select name from unnest($2::text[]) name where has_function_privilege($1, $3 || name, $4)',
    [role, MAKE_LARGE_OBJECTS, 'pg_catalog.', 'execute'],
  )
  for (const { name } of rows) await tx.query(`revoke execute on function pg_catalog.${name} from public`)
}

const createSchema = async (tx: PoolClient, { login, database, role }: AnalystRole, schema: string): Promise<void> => {
  const mayNot = saying(
    `The database login ${login} may not create schemas: let an administrator run \`grant create on database ${escapeIdentifier(database)} to ${escapeIdentifier(login)}\`.`,
  )
  await tx.query(`create schema ${escapeIdentifier(schema)} authorization ${escapeIdentifier(role)}`).catch(mayNot)
}

/**
 * Makes the schema and the role that owns it, where they are missing, and gives the role a new password that only this process knows. The role
 * has no right to anything else; as every login it may use temporary tables, and look at the names in Postgres' own catalogue.
 */
export async function prepareLogin(pool: Pool, schema: string): Promise<Login> {
  const password = randomBytes(24).toString('hex')
  return await transaction(pool, async (tx) => {
    await tx.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`analyst schema ${schema}`])
    const found = await find(tx, schema)
    assertOurs(found, schema)
    await createRole(tx, found)
    await setPassword(tx, found, password)
    await setLimits(tx, found)
    await refuseLargeObjects(tx, found)
    await noteRole(tx, { role: found.role, schema })
    if (found.owner === null) await createSchema(tx, found, schema)
    return { role: found.role, password, schema }
  })
}

const MAY_NOTE = `
  select has_schema_privilege(n.oid, 'usage') and has_table_privilege(c.oid, 'insert, update') as may
  from pg_class c join pg_namespace n on n.oid = c.relnamespace where n.nspname = 'ops' and c.relname = 'analyst_role'`

/** Notes the role for `watchSessions` before it can sign in. A login that is not the service's may have no right to its tables. */
const noteRole = async (tx: PoolClient, { role, schema }: Omit<Login, 'password'>): Promise<void> => {
  const { rows } = await tx.query<{ may: boolean }>(MAY_NOTE)
  if (rows[0]?.may !== true) return
  await tx.query('insert into ops.analyst_role (role, schema) values ($1, $2) on conflict (role) do update set schema = excluded.schema', [
    role,
    schema,
  ])
}

/**
 * Empties the schema, and answers what others were allowed in it: `giveGrants` allows it again when the tables are there. Only while the run has it
 * to itself.
 */
export async function emptySchema(pool: Pool, { schema, role }: Login): Promise<readonly Grant[]> {
  return await transaction(pool, async (tx) => {
    const grants = await readGrants(tx, schema)
    await tx.query(`drop schema ${escapeIdentifier(schema)} cascade`)
    await tx.query(`create schema ${escapeIdentifier(schema)} authorization ${escapeIdentifier(role)}`)
    await giveGrants(tx, schema, grants)
    return grants
  })
}

/** The address of the same database under another login. */
const addressFor = (url: string, { role, password }: Login): string => {
  const address = new URL(url)
  address.username = role
  address.password = password
  for (const name of ['user', 'password']) address.searchParams.delete(name)
  return address.href
}

/** One connection under the login, its names those of the schema. A batch that is lost in a crash is applied again: no commit waits for the disk. */
export async function connectAs(url: string, login: Login, timeoutMs = 5_000): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString: addressFor(url, login),
    application_name: 'tidings-analyst',
    connectionTimeoutMillis: timeoutMs,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
  })
  // The listener keeps a lost connection from ending the process; the next statement reports the loss.
  client.on('error', () => undefined)
  await client.connect()
  await client.query(`set search_path to ${escapeIdentifier(login.schema)}`)
  await client.query('set synchronous_commit to off')
  // A connection whose other end is gone keeps its lock until the server asks: after half a minute, and not two hours.
  await client.query('set tcp_keepalives_idle to 10; set tcp_keepalives_interval to 5; set tcp_keepalives_count to 4')
  return client
}

export type SignedIn = Readonly<{ login: Login; client: pg.Client }>

/** Another process that signs in at the same moment has given the role its own password. */
const TRIES = 3

/** `prepareLogin`, and a connection under it, which is waited for as long as one of the pool; one sentence where the server does not take the role. */
export async function signIn(pool: Pool, schema: string, tries = TRIES): Promise<SignedIn> {
  const login = await prepareLogin(pool, schema)
  const { connectionString, connectionTimeoutMillis } = pool.options
  try {
    return { login, client: await connectAs(String(connectionString), login, connectionTimeoutMillis) }
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : ''
    if (!code.startsWith('28')) throw error
    if (tries > 1) return await signIn(pool, schema, tries - 1)
    const why = error instanceof Error ? error.message : code
    const advice = 'let pg_hba.conf accept roles of this database by scram-sha-256'
    throw new OperationFailed(`The role ${login.role} cannot sign in (${why}): ${advice}.`, { cause: error })
  }
}

const ITERATIONS = 4_096

const hmac = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest()

/**
 * The text that Postgres stores of a password (RFC 5803, SCRAM-SHA-256). Given this instead of the password, neither its log nor `pg_stat_statements`
 * ever holds one that somebody could sign in with.
 */
function scramVerifier(password: string, salt = randomBytes(16)): string {
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256')
  const storedKey = createHash('sha256').update(hmac(salted, 'Client Key')).digest('base64')
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${hmac(salted, 'Server Key').toString('base64')}`
}
