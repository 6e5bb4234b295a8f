import { OperationFailed } from '@tidings/config'
import { isUuid } from '@tidings/domain'
import { type DeliveryExplained, explainDelivery, workspacesOfDelivery } from '@tidings/evidence'
import { existingWorkspace } from '../operator/existing-workspace.ts'
import { type Operator, withOperator } from '../operator/with-operator.ts'
import type { Answer } from '../terminal/answer.ts'
import { factLines } from '../terminal/fact-lines.ts'

type WebhookWhyOptions = Readonly<{ delivery: string; workspace?: string; json: boolean }>

/** `tidings webhook why`. */
export function why({ delivery, workspace, json }: WebhookWhyOptions): Promise<void> {
  return withOperator(json, async (operator): Promise<Answer> => {
    const explained = await find(operator, delivery.toLowerCase(), workspace)
    if (explained === null) {
      throw new OperationFailed(
        `No delivery ${delivery} waits or is among the last tries of an endpoint: see \`tidings webhook deliveries\` for those that are kept.`,
      )
    }
    return { json: explained, lines: linesOf(explained) }
  })
}

const find = async (operator: Operator, deliveryId: string, slug: string | undefined): Promise<DeliveryExplained | null> => {
  const named = slug === undefined ? null : (await existingWorkspace(operator, slug)).id
  if (!isUuid(deliveryId)) return null
  const workspaceIds = named === null ? await workspacesOfDelivery(operator.stores, deliveryId) : [named]
  for (const workspaceId of workspaceIds) {
    const explained = await explainDelivery(operator.stores, { workspaceId, deliveryId })
    if (explained !== null) return explained
  }
  return null
}

const linesOf = ({ delivery: { id, event, url, endpointId, status, because, nextAt }, facts }: DeliveryExplained): readonly string[] => [
  `The delivery ${id} of ${event} to ${url ?? `the deleted endpoint ${endpointId}`} ${ENDS[status]}${because === null ? '' : `: ${because}`}.`,
  ...(nextAt === null ? [] : [`Its next try is due at ${nextAt}.`]),
  '',
  ...factLines(facts),
]

const ENDS: Readonly<Record<DeliveryExplained['delivery']['status'], string>> = {
  delivered: 'arrived',
  waits: 'waits',
  dropped: 'was dropped',
}
