/** A server's words without any of the secrets, which it may repeat. */
export function redacted(words: string, secrets: readonly string[]): string {
  return secrets.filter((secret) => secret !== '').reduce((cleaned, secret) => cleaned.replaceAll(secret, '[redacted]'), words)
}
