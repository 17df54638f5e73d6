//! `galaxy.tools`: the lists of tools that need Galaxy's own environment, which rules ask to choose a container.

use crate::version::VersionObject;
use tpv_python::dict::Dict;
use tpv_python::exception::PyResult;
use tpv_python::module::ModuleDef;
use tpv_python::value::Value;
use tpv_python::vm::Vm;

/// `galaxy.tools`, of Galaxy 26.1.1.
pub static TOOLS: ModuleDef =
    ModuleDef { name: "galaxy.tools", get, names: &["GALAXY_LIB_TOOLS_UNVERSIONED", "GALAXY_LIB_TOOLS_VERSIONED"] };

/// The tools that need Galaxy's Python environment in every version.
const UNVERSIONED: [&str; 37] = [
    "upload1",
    "send_to_cloud",
    "__DATA_FETCH__",
    "directory_uri",
    "export_remote",
    "laj_1",
    "gff2bed1",
    "gff_filter_by_feature_count",
    "Interval_Maf_Merged_Fasta2",
    "GeneBed_Maf_Fasta2",
    "maf_stats1",
    "Interval2Maf_pairwise1",
    "MAF_To_Interval1",
    "MAF_filter",
    "MAF_To_Fasta1",
    "MAF_Reverse_Complement_1",
    "MAF_split_blocks_by_species1",
    "MAF_Limit_To_Species1",
    "maf_by_block_number1",
    "CONVERTER_bed_to_fli_0",
    "CONVERTER_gff_to_fli_0",
    "CONVERTER_gff_to_interval_index_0",
    "CONVERTER_maf_to_fasta_0",
    "CONVERTER_maf_to_interval_0",
    "qualityFilter",
    "pileup_interval",
    "count_gff_features",
    "lastz_paired_reads_wrapper",
    "subRate1",
    "find_diag_hits",
    "column_join",
    "gd_coverage_distributions",
    "gd_dpmix",
    "gd_pca",
    "gd_phylogenetic_tree",
    "gd_population_structure",
    "gd_prepare_population_structure",
];

/// The tools that needed it before a version.
const VERSIONED: [(&str, &str); 22] = [
    ("meme_fimo", "5.0.5"),
    ("Extract genomic DNA 1", "3.0.0"),
    ("fetchflank", "1.0.1"),
    ("gops_intersect_1", "1.0.0"),
    ("lastz_wrapper_2", "1.3"),
    ("PEsortedSAM2readprofile", "1.1.1"),
    ("sam_to_bam", "1.1.3"),
    ("sam_pileup", "1.1.3"),
    ("vcf_to_maf_customtrack1", "1.0.1"),
    ("secure_hash_message_digest", "0.0.2"),
    ("join1", "2.1.3"),
    ("wiggle2simple1", "1.0.1"),
    ("CONVERTER_wiggle_to_interval_0", "1.0.1"),
    ("aggregate_scores_in_intervals2", "1.1.4"),
    ("CONVERTER_fastq_to_fqtoc0", "1.0.1"),
    ("CONVERTER_tar_to_directory", "1.0.1"),
    ("tabular_to_dbnsfp", "1.0.1"),
    ("cufflinks", "2.2.1.3"),
    ("Convert characters1", "1.0.1"),
    ("substitutions1", "1.0.1"),
    ("winSplitter", "1.0.1"),
    ("Interval2Maf1", "1.0.1+galaxy0"),
];

/// DIFFERENCE: a list or dict that code changes stays changed in Galaxy's process; here each import gives a new one.
fn get(vm: &mut Vm, name: &str) -> PyResult<Option<Value>> {
    Ok(match name {
        "GALAXY_LIB_TOOLS_UNVERSIONED" => {
            vm.charge(UNVERSIONED.len())?;
            Some(Value::list(UNVERSIONED.iter().map(|tool| Value::str(*tool)).collect()))
        }
        "GALAXY_LIB_TOOLS_VERSIONED" => {
            vm.charge(VERSIONED.len())?;
            let versions = Dict::new();
            for (tool, version) in VERSIONED {
                let version = VersionObject::new(vm, &Value::str(version))?;
                versions.set_str(tool.into(), Value::object(version));
            }
            Some(Value::dict(versions))
        }
        _ => None,
    })
}
