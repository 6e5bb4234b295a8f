import { isoNow } from '@tidings/async/clock'
import { OperationFailed } from '@tidings/config'
import { CONSENT_CHANNELS, type ConsentEntry, type ConsentState, readConsent } from '@tidings/evidence'
import { contactName, namedContact } from '../operator/existing-contact.ts'
import { momentOption } from '../operator/moment-option.ts'
import { withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'
import { columns } from '../terminal/fact-lines.ts'

type ConsentShowOptions = Readonly<{ workspace: string; id: string; at?: string; json: boolean }>

/** `tidings consent show` (M22, D2). */
export function show({ workspace, id, at: asked, json }: ConsentShowOptions): Promise<void> {
  const at = momentOption(asked)
  contactName(id)
  return withOperator(json, async (operator): Promise<Answer> => {
    const { workspaceId, contactId } = await namedContact(operator, { workspace, id })
    const found = await readConsent(operator.stores.log, { workspaceId, contactId, at })
    if (found === null) {
      throw new OperationFailed(
        `Workspace ${workspace} has no contact ${id}${at === null ? '' : ` at ${at}`}: it did not exist, or it was erased. \`consent export\` of the id proves what is left of an erased one.`,
      )
    }
    return { json: { contactId, at: at ?? isoNow(), ...found }, lines: linesOf(found) }
  })
}

const linesOf = ({ channels, history }: ConsentState): readonly string[] => [
  ...columns(
    CONSENT_CHANNELS.map((channel) => {
      const entry = history.findLast((one) => one.channel === channel)
      return [channel, channels[channel], entry === undefined ? 'nothing was ever said' : `since ${entry.at}, ${sourceOf(entry)}`]
    }),
  ),
  ...(history.length === 0 ? [] : ['', ...columns(history.map(rowOf))]),
]

const rowOf = (entry: ConsentEntry): readonly string[] => [
  entry.at,
  entry.channel,
  `${entry.from ?? 'created'} > ${entry.to}`,
  sourceOf(entry),
  `request ${entry.requestId}`,
  `position ${entry.position}`,
]

const sourceOf = ({ source, actor, ip, userAgent, endedByRetention }: ConsentEntry): string =>
  [
    `source ${source}`,
    `by ${actor}`,
    ...(ip === null ? [] : [`from ${ip}`]),
    ...(userAgent === null ? [] : [`with ${userAgent}`]),
    ...(endedByRetention ? ['address and agent ended by retention'] : []),
  ].join(', ')
