/** Codes, and words of mail servers that are no person's name. `*` stands for the name of the mail. */
const ORDINARY = /^(?:(?:2\d\d|2\.\d{1,3}\.\d{1,3}|ok|queued|as|mail|message|accepted|for|delivery|(?:id=)?<?\*>?)[:.,]?(?: |$))+$/i

/**
 * Whether a provider's answer holds nothing but the name that it gave the message, which is kept in clear, and ordinary words: such an answer can
 * name no recipient, in whatever spelling.
 */
export function isImpersonal({ providerMessageId, response = '' }: Readonly<{ providerMessageId: string; response?: string }>): boolean {
  return ORDINARY.test(response.replace(providerMessageId, '*'))
}
