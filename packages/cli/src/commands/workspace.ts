import { once } from 'node:events'
import { createInterface } from 'node:readline/promises'
import type { Readable, Writable } from 'node:stream'
import { workspaceRecord } from '@tidings/administration'
import { OperationFailed } from '@tidings/config'
import { list, listStream, template, templateStream, type WorkspaceStatus, workspace, workspaceStream } from '@tidings/domain'
import { type ExistingWorkspace, existingWorkspace } from '../operator/existing-workspace.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'

type Json = Readonly<{ json: boolean }>

/** Why, in the words of an operator. */
type WithReason = Json & Readonly<{ reason?: string | null }>

/** A form as the workspace file has it. */
type FormRecord = Readonly<{ id: string; list: string; doubleOptIn?: true; template?: string; from?: string; archived?: true }>

const formsOf = async ({ provisioner }: Operator, { id, state }: ExistingWorkspace) => {
  const forms: FormRecord[] = []
  for (const [formId, { listId, confirmation, archived }] of Object.entries(state.forms)) {
    const named = await provisioner.load(id, list, listStream(id, listId))
    const form = { id: formId, list: named?.name ?? listId, ...(archived && { archived }) }
    if (confirmation === null) forms.push(form)
    else {
      const { templateId, senderAddressId } = confirmation
      const { name } = await provisioner.load(id, template, templateStream(id, templateId))
      const from = state.senderAddresses[senderAddressId]?.email ?? senderAddressId
      forms.push({ ...form, doubleOptIn: true, template: name, from })
    }
  }
  return forms
}

/** `tidings workspace show`: its settings, from the log itself. */
export function show(slug: string, { json }: Json): Promise<void> {
  return withOperator(json, async (operator) => {
    const found = await existingWorkspace(operator, slug)
    const { settings, statusReason, features, formOrigins, smsReplies, stopWords } = found.state
    const { country, tracking } = settings
    const sms = { smsReplies, stopWords }
    const record = {
      ...workspaceRecord(found),
      statusReason,
      country,
      tracking,
      features,
      formOrigins,
      ...sms,
      forms: await formsOf(operator, found),
    }
    const lines = Object.entries(record).map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    return { json: record, lines }
  })
}

/** The effect of a workspace's status, printed after each change. */
const MEANS: Readonly<Record<WorkspaceStatus, string>> = {
  active: 'its keys work, and what waited is sent',
  suspended: 'its keys are refused, and what is queued waits',
  closed: 'its keys are refused for ever, and what was queued has failed',
}

/** Idempotent; when it returns, the change is in effect in every running process. A closed workspace stays closed. */
const become = (slug: string, status: WorkspaceStatus, { reason = null, json }: WithReason): Promise<void> =>
  withOperator(json, async (operator) => {
    const { id, state } = await existingWorkspace(operator, slug)
    if (state.status === 'closed' && status !== 'closed') throw new OperationFailed(`Workspace ${slug} is closed, and that is for ever.`)
    await operator.provisioner.execute(id, workspace, workspaceStream(id), { type: 'ChangeWorkspaceStatus', data: { status, reason } })
    await operator.settle()
    const record = workspaceRecord(await existingWorkspace(operator, slug))
    return { json: record, lines: [`Workspace ${slug} is ${record.status}: ${MEANS[record.status]}.`] }
  })

/** `tidings workspace suspend`: from now on its requests are refused and its mail waits. */
export function suspend(slug: string, options: WithReason): Promise<void> {
  return become(slug, 'suspended', options)
}

/** `tidings workspace resume`. */
export function resume(slug: string, options: Json): Promise<void> {
  return become(slug, 'active', options)
}

/** `tidings workspace close`: for ever, so it asks. */
export async function close(slug: string, { yes, json }: Json & Readonly<{ yes: boolean }>): Promise<void> {
  await confirm({ act: `close workspace ${slug}`, yes })
  await become(slug, 'closed', { json })
}

type Terminal = Readonly<{ input: Readable & Readonly<{ isTTY?: boolean }>; output: Writable & Readonly<{ isTTY?: boolean }> }>

/** `act`: what would be done, in the words of the question. */
type Act = Readonly<{ act: string; yes: boolean }>

/** stdout belongs to the answer. */
const HERE: Terminal = { input: process.stdin, output: process.stderr }

/**
 * Returns when a person at the terminal, or `--yes`, says that something is to be done that cannot be taken back. Anything but `yes` is a
 * refusal, as is a call of a script without `--yes`.
 */
export async function confirm({ act, yes }: Act, { input, output }: Terminal = HERE): Promise<void> {
  if (yes) return
  if (!input.isTTY || !output.isTTY) throw new OperationFailed(`This cannot be undone: ${act}. Confirm it with --yes.`)
  const lines = createInterface({ input, output })
  // Ctrl-C and Ctrl-D end the question without an answer.
  const ended = once(lines, 'close').then(() => '')
  const answer = await Promise.race([lines.question(`This cannot be undone: ${act}. Type yes to go on: `), ended])
  lines.close()
  if (answer.trim().toLowerCase() !== 'yes') throw new OperationFailed('Nothing was changed.')
}
