/** Opens a page in the browser of whoever sits here. Loaded lazily, with what that takes on each platform. */

/** `onFailure` is told, at most once, where no browser starts; that is no reason to end anything. */
export async function openBrowser(address: string, onFailure: () => void): Promise<void> {
  try {
    const { default: open } = await import('open');
    const launcher = await open(address);
    launcher.once('exit', (code) => {
      if (code) onFailure();
    });
  } catch {
    onFailure();
  }
}
