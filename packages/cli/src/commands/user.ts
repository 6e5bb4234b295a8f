import { randomBytes } from 'node:crypto'
import { isValidEmail, normalizeEmail } from '@tidings/addresses'
import { OperationFailed, publicUrl } from '@tidings/config'
import { asWorkspaceId, NIL_ID, type UserRole, type UserState, user, type WorkspaceId } from '@tidings/domain'
import { kyselyOn } from '@tidings/postgres'
import { forWorkspace, type ReadModels } from '@tidings/read-models'
import { findUser, findUsers, hashPassword, makeSignInLink, signInLinkUrl, unusablePasswordHash } from '@tidings/sign-in'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { readText } from '../operator/read-text.ts'
import { sayingWhy } from '../operator/refused.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import { listAnswer } from '../terminal/answer.ts'

type OfWorkspace = Readonly<{ workspace: string; json: boolean }>
type OfUser = OfWorkspace & Readonly<{ email: string }>
type WithPassword = Readonly<{ passwordFile?: string }>

type UserRecord = Readonly<{ id: string; email: string; role: UserRole }>

/** `shown`: the password where it was made here, for the answer. */
type Password = Readonly<{ text: string; shown: Readonly<{ password?: string }> }>

const line = ({ id, email, role }: UserRecord): string => `${id}  ${role.padEnd(6)}  ${email}`
const showing = ({ password }: Password['shown']): readonly string[] =>
  password === undefined ? [] : [`Password (shown once): ${password}`]

/** Passwords as the workspace file has them: 8 to 1024 characters. */
const choosePassword = async ({ passwordFile }: WithPassword): Promise<Password> => {
  if (passwordFile === undefined) {
    const text = randomBytes(18).toString('base64url')
    return { text, shown: { password: text } }
  }
  const [text = ''] = (await readText(passwordFile)).split(/\r?\n/, 1)
  if (text.length < 8 || text.length > 1_024) throw new OperationFailed('A password has 8 to 1024 characters.')
  return { text, shown: {} }
}

type KnownUser = NonNullable<UserState>
type NamedUser = Readonly<{ workspaceId: WorkspaceId; userId: string; email: string; stream: string; state: UserState }>

const findNamed = async (operator: Operator, { workspace: slug, email: typed }: OfUser): Promise<NamedUser> => {
  const { id: workspaceId } = await existingWorkspace(operator, slug)
  const email = normalizeEmail(typed)
  return { workspaceId, email, ...(await findUser(loadFrom(operator), { workspaceId, email })) }
}

const loadFrom =
  ({ provisioner }: Operator): Parameters<typeof findUser>[0] =>
  ({ workspaceId, decider, stream }) =>
    provisioner.load(workspaceId, decider, stream)

const existing = async (operator: Operator, of: OfUser): Promise<NamedUser & Readonly<{ state: KnownUser }>> => {
  const found = await findNamed(operator, of)
  const { state } = found
  if (state === null) throw new OperationFailed(`${found.email} is no user of workspace ${of.workspace}.`)
  return { ...found, state }
}

/** `tidings user add`: refuses an address that is a user already, and changes nothing then. */
export function add({ role, passwordFile, ...of }: OfUser & WithPassword & Readonly<{ role: UserRole }>): Promise<void> {
  return withOperator(of.json, async (operator) => {
    const { workspaceId, userId, email, stream } = await findNamed(operator, of)
    if (!isValidEmail(email)) throw new OperationFailed(`"${of.email}" is no email address.`)
    const { text, shown } = await choosePassword({ ...(passwordFile !== undefined && { passwordFile }) })
    const data = { userId, email, role, passwordHash: await hashPassword(text) }
    await sayingWhy(operator.provisioner.execute(workspaceId, user, stream, { type: 'AddUser', data }), {
      user_exists: `${email} is a user of workspace ${of.workspace} already: \`tidings user password\` sets another password.`,
    })
    await operator.settle()
    const record = { id: userId, email, role }
    return { json: { ...record, ...shown }, lines: [line(record), ...showing(shown)] }
  })
}

/** `tidings user list`, by address. */
export function list({ workspace: slug, json }: OfWorkspace): Promise<void> {
  return withOperator(json, async (operator) => {
    const { id } = await existingWorkspace(operator, slug)
    const users = forWorkspace(kyselyOn<ReadModels>(operator.stores.pool), id).users()
    const records = await users.select(['id', 'email', 'role']).orderBy('email').execute()
    return listAnswer(records, line, `Workspace ${slug} has no user.`)
  })
}

/** `tidings user password`: every session of the user is over when it returns. */
export function password({ passwordFile, ...of }: OfUser & WithPassword): Promise<void> {
  return withOperator(of.json, async (operator) => {
    const { workspaceId, userId, email, stream, state } = await existing(operator, of)
    const { text, shown } = await choosePassword({ ...(passwordFile !== undefined && { passwordFile }) })
    const data = { userId, passwordHash: await hashPassword(text) }
    await sayingWhy(operator.provisioner.execute(workspaceId, user, stream, { type: 'ChangePassword', data }), {
      user_not_found: `${email} is no user of workspace ${of.workspace}.`,
    })
    await operator.settle()
    const record = { id: userId, email, role: state.role }
    return { json: { ...record, ...shown }, lines: [line(record), ...showing(shown)] }
  })
}

/** `tidings user remove`: every session of the user is over when it returns. */
export function remove(of: OfUser): Promise<void> {
  return withOperator(of.json, async (operator) => {
    const { workspaceId, userId, email, state } = await existing(operator, of)
    // A log from before M46 may have one of each spelling: none of them may sign in again.
    for (const found of await findUsers(loadFrom(operator), { workspaceId, email }))
      await operator.provisioner.execute(workspaceId, user, found.stream, { type: 'RemoveUser', data: { userId: found.userId } })
    await operator.settle()
    return { json: { id: userId, email, role: state.role }, lines: [`${email} is no user of workspace ${of.workspace} any more.`] }
  })
}

type Link = Readonly<{ url: string; expiresAt: string }>

const LINK_HOURS = 1

const linkOf = async ({ stores, config }: Operator, { workspaceId, state }: Readonly<{ workspaceId: WorkspaceId; state: KnownUser }>) => {
  const { token, expiresAt } = await makeSignInLink(stores.pool, { workspaceId, user: state, hours: LINK_HOURS })
  return { url: signInLinkUrl(publicUrl(config.http), token), expiresAt }
}

const linkLine = ({ url, expiresAt }: Link): string => `${url}   (signs in once, until ${expiresAt})`

/** `tidings user link`: earlier links of the user stay valid. */
export function link(of: OfUser): Promise<void> {
  return withOperator(of.json, async (operator) => {
    const made = await linkOf(operator, await existing(operator, of))
    return { json: made, lines: [linkLine(made)] }
  })
}

/** `tidings operator add`: an address that is an operator already gets another link. */
export function addOperator({ email: typed, json }: Readonly<{ email: string; json: boolean }>): Promise<void> {
  return withOperator(
    json,
    async (operator) => {
      const workspaceId = asWorkspaceId(NIL_ID)
      const email = normalizeEmail(typed)
      if (!isValidEmail(email)) throw new OperationFailed(`"${typed}" is no email address.`)
      const { userId, stream, state } = await findUser(loadFrom(operator), { workspaceId, email })
      const known = state ?? { userId, email, role: 'owner', passwordHash: unusablePasswordHash() }
      await operator.provisioner.execute(workspaceId, user, stream, { type: 'AddUser', data: known })
      await operator.settle()
      const made = await linkOf(operator, { workspaceId, state: known })
      return { json: { id: known.userId, email: known.email, ...made }, lines: [`${known.userId}  ${known.email}`, linkLine(made)] }
    },
    { begins: true },
  )
}
