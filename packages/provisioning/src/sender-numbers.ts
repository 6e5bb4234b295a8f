import { OperationFailed } from '@tidings/config'
import {
  type AssignSenderNumbers,
  INSTALLATION,
  ownerOfNumber,
  Refused,
  senderIdNamed,
  senderIds,
  senderIdsStream,
  senderNumbers,
  senderNumbersStream,
  type WorkspaceId,
  workspace,
  workspaceStream,
} from '@tidings/domain'
import type { Applying, Step } from './steps.ts'
import { senderNumber } from './workspace-file/sender-number.ts'

/** What the file says of each of its sender IDs: one without a number has none. Null where it names no sender ID. */
const assignment = ({ workspaceId, file }: Applying): AssignSenderNumbers | null => {
  const { smsSenderIds = [] } = file
  if (smsSenderIds.length === 0) return null
  const numbers = smsSenderIds.map(({ id, number }) => ({ senderId: id, number: senderNumber(number, file) ?? null }))
  return { type: 'AssignSenderNumbers', data: { workspaceId, numbers } }
}

/** Throws, before anything is written, where a number is another sender ID's: only the log shows that. */
export async function refuseTakenNumbers(applying: Applying): Promise<void> {
  const command = assignment(applying)
  const wanted = command?.data.numbers ?? []
  if (command === null || wanted.every(({ number, senderId }) => number === null && !NUMERIC.test(senderId))) return
  const state = await applying.to.load(INSTALLATION, senderNumbers, senderNumbersStream())
  await sayingWhose(applying, async () => senderNumbers.decide(command, state))
  for (const [i, one] of wanted.entries()) await refuseSameDigits(applying, state, { ...one, i })
}

/** A sender ID that is a number itself. */
const NUMERIC = /^\+?\d{5,15}$/
const digitsOf = (written: string): string => written.replace('+', '')

type DeclaredNumber = AssignSenderNumbers['data']['numbers'][number] & Readonly<{ i: number }>
type Numbers = typeof senderNumbers.initialState

/** A text to a number looks like one to another workspace's sender ID of the same digits. Existing cases stay. */
async function refuseSameDigits({ to, workspaceId }: Applying, state: Numbers, { senderId, number, i }: DeclaredNumber): Promise<void> {
  if (number !== null && ownerOfNumber(state, number)?.workspaceId !== workspaceId) {
    const others = await to.workspacesWithSender([digitsOf(number), number])
    const other = others.find((one) => one !== workspaceId)
    if (other !== undefined) throw new OperationFailed(`smsSenderIds[${i}].number: ${number} is a sender ID of ${await namedIn(to, other)}`)
  }
  const owner = NUMERIC.test(senderId) ? ownerOfNumber(state, `+${digitsOf(senderId)}`) : undefined
  if (owner === undefined || owner.workspaceId === workspaceId) return
  const known = await to.load(workspaceId, senderIds, senderIdsStream(workspaceId))
  if (senderIdNamed(known, senderId) !== undefined) return
  const whose = await namedIn(to, owner.workspaceId)
  throw new OperationFailed(`smsSenderIds[${i}].id: ${senderId} is the number behind the sender ID ${owner.senderId} of ${whose}`)
}

const namedIn = async (to: Applying['to'], workspaceId: WorkspaceId): Promise<string> => {
  const { slug } = await to.load(workspaceId, workspace, workspaceStream(workspaceId))
  return slug === '' ? 'a workspace whose file was not applied to its end' : `the workspace ${slug}`
}

/** All of the file at once, before all else: another file may have taken one since it was asked. So what is approved leaves from its number from the first text on. */
export function senderNumberSteps(applying: Applying): readonly Step[] {
  const command = assignment(applying)
  if (command === null) return []
  const what = command.data.numbers.map(({ senderId }) => senderId).join(', ')
  const run = () => applying.to.execute(INSTALLATION, senderNumbers, senderNumbersStream(), command)
  return [{ what, run: () => sayingWhose(applying, run) }]
}

async function sayingWhose<T>(applying: Applying, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== 'sender_number_taken') throw error
    throw new OperationFailed(await sentenceOf(applying, String(error.context.number)), { cause: error })
  }
}

const sentenceOf = async ({ to, workspaceId, file }: Applying, number: string): Promise<string> => {
  const i = (file.smsSenderIds ?? []).findIndex((one) => senderNumber(one.number, file) === number)
  const owner = ownerOfNumber(await to.load(INSTALLATION, senderNumbers, senderNumbersStream()), number)
  if (owner === undefined) return `smsSenderIds[${i}].number: ${number} has just been changed: apply the file again`
  const whose = owner.workspaceId === workspaceId ? 'this workspace' : await namedIn(to, owner.workspaceId)
  return `smsSenderIds[${i}].number: ${number} is behind the sender ID ${owner.senderId} of ${whose}: apply its file without it first`
}
