import { plural } from './plural.ts'

export const flowTryWords = {
  flowTry: {
    title: 'Try these steps',
    help: 'It walks the steps as they stand here, for one person. Nothing is saved or sent. Quiet hours and the limit of messages are not looked at.',
    person: 'For whom',
    example: 'For an example',
    agrees: 'Agrees to messages by',
    run: 'Try',
    way: 'What would happen',
    onWay: 'on the way',
    waits: (time: string) => `Waits ${time}.`,
    matched: 'The rule holds.',
    otherwise: 'The rule does not hold.',
    sends: { email: 'Sends the email', sms: 'Sends the text', push: 'Shows the notification' },
    to: 'to',
    from: 'from',
    browsers: (count: number) => `in ${plural(count, 'browser', 'browsers')}`,
    credits: (count: number) => `(${plural(count, 'credit', 'credits')})`,
    noAddress: {
      email: 'Sends nothing: the person has no email address.',
      sms: 'Sends nothing: the person has no phone number.',
      push: 'Sends nothing: the person has registered no browser.',
    },
    archived: 'Sends nothing: the template is archived.',
    notAllowed: 'Sends nothing.',
    notRendered: 'Sends nothing: the template could not be filled in for this person.',
    ends: {
      finished: 'The person would come to the end of the flow.',
      no_consent: 'The flow would end there: the person has not agreed.',
      suppressed: 'The flow would end there: the channel is blocked.',
      template_gone: 'The flow would end there: the template is archived.',
    },
  },
}
