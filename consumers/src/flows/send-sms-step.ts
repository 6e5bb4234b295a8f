import { renderSms, smsCredits, smsSegments } from '@tidings/domain'
import type { FlowWork } from './flow-work.ts'
import { type SendStep, sendStep } from './send-step.ts'

/** Its sender ID and its credits are judged by its lane, as those of every text message. */
export async function sendSmsStep(work: FlowWork, due: SendStep): Promise<void> {
  const { contactId } = due.place
  const { templateId, from } = due.instruction
  await sendStep(work, due, {
    addressOf: ({ phone }) => phone,
    // It would lead out of the mails: STOP is the way out of texts.
    links: null,
    render: ({ body }, values) => renderSms(body ?? '', values),
    acceptance: async ({ messageId, to, rendered: body }) => ({
      type: 'AcceptSms',
      data: { messageId, contactId, to, from, body, credits: smsCredits(body), segments: smsSegments(body), templateId, kind: 'marketing' },
    }),
  })
}
