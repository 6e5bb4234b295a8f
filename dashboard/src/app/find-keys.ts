/** What one presses to find: a Mac has a key of its own for it. */
export function findKeys(platform: string = navigator.platform): string {
  return /^(Mac|iP)/.test(platform) ? '⌘ K' : 'Ctrl K'
}
