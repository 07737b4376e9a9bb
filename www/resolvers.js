/**
 * `Promise.withResolvers`, which browsers of a few years ago lack. A rejection that nobody listens to stays off the console.
 * @template T
 * @returns {{ promise: Promise<T>, resolve: (value: T) => void, reject: (reason: unknown) => void }}
 */
export function withResolvers() {
  /** @type {(value: T) => void} */
  let resolve = () => undefined;
  /** @type {(reason: unknown) => void} */
  let reject = () => undefined;
  const promise = /** @type {Promise<T>} */ (
    new Promise((onResolve, onReject) => {
      resolve = onResolve;
      reject = onReject;
    })
  );
  promise.catch(() => undefined);
  return { promise, resolve, reject };
}
