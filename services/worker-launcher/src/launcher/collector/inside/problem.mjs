/** A failure that the launcher is told by name; any other error is a defect of the collector. */
export class Problem extends Error {
  constructor(problem, message) {
    super(message);
    this.problem = problem;
  }
}
