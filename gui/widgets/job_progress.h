#pragma once

class QLabel;
class QProgressBar;

namespace strata::gui {

class Job;

/// Shows in a page how far its job is: `bar` from now until the job ends, and `text` with its title
/// until it says more. For a job that was not started; bar and text must outlive it.
void showProgress(Job* job, QProgressBar* bar, QLabel* text);

}  // namespace strata::gui
