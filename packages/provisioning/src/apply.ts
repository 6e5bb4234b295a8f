import { normalizeEmail } from '@tidings/addresses'
import { inOrder } from '@tidings/async'
import { OperationFailed } from '@tidings/config'
import { workspaceIdOf } from '@tidings/directory'
import {
  type ConfigureCampaign,
  type ConfigureFlow,
  type ConfigureForm,
  type ListId,
  list,
  listStream,
  MAX_DYNAMIC_LISTS,
  template,
  templateStream,
  user,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import { findUser, hashPassword, isPasswordOf } from '@tidings/sign-in'
import type { AppliedKey } from './api-keys.ts'
import { campaignCommands, campaignSteps } from './campaigns.ts'
import { flowCommands, flowSteps } from './flows.ts'
import { formCommands, formSteps } from './forms.ts'
import { customFieldCommands, lookupSteps } from './lookups.ts'
import { domainTokens, listCommands, senderAddressIds, templateCommands } from './plan.ts'
import type { Provisioner } from './provisioner.ts'
import { refuseTakenNumbers, senderNumberSteps } from './sender-numbers.ts'
import { sentenceOf } from './sentences.ts'
import { type Applying, AT_ONCE, keySteps, otherKindKeys, recordSteps, type Step, workspaceSteps } from './steps.ts'
import { refuseTooManyTags, tagCommands, tagIds } from './tags.ts'
import { confirmationMistake } from './workspace-file/confirmation-mistake.ts'
import type { WorkspaceFile } from './workspace-file/schema.ts'

/** What `apply --json` prints: every record of the file with its id; a key only when this call created it. */
export type Applied = Readonly<{
  workspace: Readonly<{ id: WorkspaceId; slug: string }>
  apiKeys: readonly AppliedKey[]
  /** The tokens of their proofs. */
  senderDomains: Readonly<Record<string, string>>
  senderAddresses: Readonly<Record<string, string>>
  templates: Readonly<Record<string, string>>
  lists: Readonly<Record<string, ListId>>
  tags: Readonly<Record<string, string>>
  campaigns: Readonly<Record<string, string>>
  flows: Readonly<Record<string, string>>
  customFields: Readonly<Record<string, string>>
  users: Readonly<Record<string, string>>
}>

/**
 * `changes` are sentences for people, in the order of the writes; empty when nothing differed. `stillActive`: keys that have the name of one of the
 * file, and another kind: nothing is revoked.
 */
export type ApplyResult = Readonly<{
  applied: Applied
  changes: readonly string[]
  stillActive: Awaited<ReturnType<typeof otherKindKeys>>
}>

/**
 * Makes a workspace what the file says: idempotent, matched by natural keys, nothing is deleted. Mistakes that only the log
 * shows are found before anything is written. `onProgress` counts records, those that are asked about twice.
 */
export async function applyWorkspaceFile(
  to: Provisioner,
  file: WorkspaceFile,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<ApplyResult> {
  const { templates = [], campaigns = [], forms = [], flows = [] } = file
  const applying: Applying = { to, workspaceId: workspaceIdOf(file.workspace.slug), file, onRecord: () => onProgress(++done, total) }
  const apiKeys: AppliedKey[] = []
  // Numbers can be lost to another file at this moment: then nothing is changed. The workspace comes before what is in it, a password takes 128 MB while it is hashed, and keys are printed in the order of the file.
  const alone = [...senderNumberSteps(applying), ...workspaceSteps(applying), ...userSteps(applying), ...keySteps(applying, apiKeys)]
  const beside = [...lookupSteps(applying), ...recordSteps(applying)]
  const total = alone.length + beside.length + templates.length + 2 * (campaigns.length + forms.length + flows.length)
  let done = 0
  const checked = await checkAgainstLog(applying)
  const take = async ({ what, run }: Step): Promise<readonly string[]> => {
    const events = await run()
    applying.onRecord()
    return events.map(({ type }) => sentenceOf(type, what))
  }
  const changes = [
    ...(await inOrder(alone, 1, take)),
    ...(await inOrder(beside, AT_ONCE, take)),
    // They are listed by when they were made: written at once they would be so in any order.
    ...(await inOrder(campaignSteps(applying, checked.campaigns), 1, take)),
    ...(await inOrder(formSteps(applying, checked.forms), AT_ONCE, take)),
    ...(await inOrder(flowSteps(applying, checked.flows), 1, take)),
  ].flat()
  return { applied: await idsOf(applying, { apiKeys, ...checked }), changes, stillActive: await otherKindKeys(applying) }
}

const checkAgainstLog = async (applying: Applying) => {
  const { to, workspaceId, file } = applying
  await refuseChannelChanges(applying)
  await refuseListChanges(applying)
  await refuseTakenNumbers(applying)
  await refuseTooManyTags(to, workspaceId, tagCommands(workspaceId, file))
  const forms = await formCommands(applying)
  await refuseLostConfirmations(applying, forms)
  return { campaigns: await campaignCommands(applying), forms, flows: await flowCommands(applying) }
}

type AppliedParts = Readonly<{ apiKeys: readonly AppliedKey[]; campaigns: readonly ConfigureCampaign[]; flows: readonly ConfigureFlow[] }>

const idsOf = async ({ to, workspaceId, file }: Applying, { apiKeys, campaigns, flows }: AppliedParts): Promise<Applied> => ({
  workspace: { id: workspaceId, slug: file.workspace.slug },
  apiKeys,
  senderDomains: await domainTokens(to, workspaceId, file),
  senderAddresses: senderAddressIds(workspaceId, file),
  templates: Object.fromEntries(templateCommands(workspaceId, file).map(({ data }) => [data.name, data.templateId])),
  lists: Object.fromEntries(listCommands(workspaceId, file).map(({ data }) => [data.name, data.listId])),
  tags: await tagIds(to, workspaceId, tagCommands(workspaceId, file)),
  campaigns: Object.fromEntries(campaigns.map(({ data }) => [data.name, data.campaignId])),
  flows: Object.fromEntries(flows.map(({ data }) => [data.name, data.flowId])),
  customFields: Object.fromEntries(customFieldCommands(workspaceId, file).map(({ data }) => [data.key, data.fieldId])),
  users: await userIds({ to, workspaceId, file }),
})

/** Throws, before anything is written, where the file changes the channel of a template: only the log shows that. */
async function refuseChannelChanges({ to, workspaceId, file, onRecord }: Applying): Promise<void> {
  await inOrder(templateCommands(workspaceId, file), AT_ONCE, async ({ data }, i) => {
    const known = await to.load(workspaceId, template, templateStream(workspaceId, data.templateId))
    if (known.exists && known.channel !== data.channel) {
      throw new OperationFailed(
        `templates[${i}].channel: "${data.name}" is an ${known.channel} template, use another name for ${data.channel}`,
      )
    }
    onRecord()
  })
}

/**
 * Throws, before anything is written, where a list would change its type, or where the workspace would have too many dynamic ones. Files that
 * are applied at the same time do not see each other's lists.
 */
async function refuseListChanges({ to, workspaceId, file }: Applying): Promise<void> {
  const commands = listCommands(workspaceId, file)
  if (commands.length === 0) return
  const known = await inOrder(commands, AT_ONCE, async ({ data }, i) => {
    const there = await to.load(workspaceId, list, listStream(workspaceId, data.listId))
    if (there !== null && there.listType !== data.listType)
      throw new OperationFailed(`lists[${i}].type: "${data.name}" is a ${there.listType} list, use another name for a ${data.listType} one`)
    return there
  })
  const added = commands.filter(({ data }, i) => data.listType === 'dynamic' && known[i] === null).length
  if (added === 0) return
  const had = (await to.dynamicLists(workspaceId)).length
  if (had + added > MAX_DYNAMIC_LISTS)
    throw new OperationFailed(
      `lists: the workspace has ${had} dynamic lists and may have ${MAX_DYNAMIC_LISTS}: remove at least ${had + added - MAX_DYNAMIC_LISTS} new ones`,
    )
}

/** A hash that fits the password is kept: applying a file twice changes nothing. */
function userSteps({ to, workspaceId, file }: Applying): readonly Step[] {
  return (file.users ?? []).map(({ email, password, role }) => ({
    what: normalizeEmail(email),
    run: async () => {
      const { userId, stream, state: known } = await findUser(loadFrom(to), { workspaceId, email })
      const isKept = known !== null && (await isPasswordOf(known.passwordHash, password))
      const passwordHash = isKept ? known.passwordHash : await hashPassword(password)
      const data = { userId, email: normalizeEmail(email), passwordHash, role }
      return await to.execute(workspaceId, user, stream, { type: 'ConfigureUser', data })
    },
  }))
}

/** The id of each user of the file, by its address as it is written there. */
async function userIds({ to, workspaceId, file }: Omit<Applying, 'onRecord'>): Promise<Readonly<Record<string, string>>> {
  const ids = (file.users ?? []).map(async ({ email }) => [email, (await findUser(loadFrom(to), { workspaceId, email })).userId] as const)
  return Object.fromEntries(await Promise.all(ids))
}

const loadFrom =
  (to: Provisioner): Parameters<typeof findUser>[0] =>
  ({ workspaceId, decider, stream }) =>
    to.load(workspaceId, decider, stream)

/**
 * Throws, before anything is written, where a template could ask no owner of an address any more, and a form goes on asking with it: what it was before,
 * stays. Archived forms count: a sign-up that names no form is asked, too (M106).
 */
async function refuseLostConfirmations({ to, workspaceId, file }: Applying, forms: readonly ConfigureForm[]): Promise<void> {
  const commands = templateCommands(workspaceId, file)
  if (commands.length === 0) return
  const asking = await askingForms({ to, workspaceId }, forms)
  await inOrder(commands, AT_ONCE, async ({ data }, i) => {
    const formId = asking.get(data.templateId)
    if (formId === undefined) return
    const known = await to.load(workspaceId, template, templateStream(workspaceId, data.templateId))
    const asks = `the form "${formId}" asks to confirm sign-ups with`
    if (data.archived && !known.archived) throw new OperationFailed(`templates[${i}].archived: ${asks} it: choose another there first`)
    const was = known.exists ? confirmationMistake(data.name, { channel: known.channel, ...known.content }) : null
    const mistake = confirmationMistake(data.name, data)
    if (was === null && mistake !== null) throw new OperationFailed(`templates[${i}]: ${asks} this template: ${mistake}`)
  })
}

/** A form that asks with it, for each template that one does once the file is applied. */
const askingForms = async (
  { to, workspaceId }: Pick<Applying, 'to' | 'workspaceId'>,
  commands: readonly ConfigureForm[],
): Promise<ReadonlyMap<string, string>> => {
  const { forms } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  const known = Object.entries(forms).map(([formId, { confirmation }]) => [formId, confirmation] as const)
  const all = new Map([...known, ...commands.map(({ data }) => [data.formId, data.confirmation] as const)])
  return new Map([...all].flatMap(([formId, confirmation]) => (confirmation === null ? [] : [[confirmation.templateId, formId] as const])))
}
